#include "Core/Training/Run/SplitNote.h"

#include "Core/Base/Error.h"
#include "Support/Catch.h"

using namespace earshot;
using training::DataChoice;

TEST_CASE("what a split was drawn with is noted and read again", "[unit]") {
    DataChoice choice;
    choice.sources = {"sounds"};
    choice.seed = GENERATE(0u, 1u, 2147483647u);
    choice.validShare = GENERATE(0.01, 0.1, 0.35);
    const bool lists = GENERATE(false, true);
    if (lists) {
        choice.only = {"Gunshot, explosion", "B\xc3\xa4r"};
        choice.distractors = {"\"Wind\""};
        choice.withoutLicences = {"NC", "SA"};
    }
    std::map<std::string, std::string> metadata;
    training::noteSplit(choice, metadata);
    const auto read = training::notedSplit(metadata, "a.safetensors");
    REQUIRE(read);
    CHECK(read->seed == choice.seed);
    CHECK(read->validShare == choice.validShare);
    CHECK(read->only == choice.only);
    CHECK(read->distractors == choice.distractors);
    CHECK(read->withoutLicences == choice.withoutLicences);
    CHECK(read->sources.empty());
}

TEST_CASE("a note of a split is checked, and none is none", "[unit]") {
    CHECK_FALSE(training::notedSplit({{"earshot.labels", "[]"}}, "a.safetensors"));
    std::string many = R"({"seed": 1, "valid_share": 0.2, "only": ["a")";
    for (int i = 0; i < 10000; ++i) many += ",\"a\"";
    for (const std::string& note : {many + "]}", std::string(R"({"seed": 1.5, "valid_share": 0.2})"),
                                    std::string(R"({"seed": 1, "valid_share": "a"})"),
                                    std::string(R"({"seed": 1, "valid_share": 1e999})"),
                                    std::string(R"({"seed": 1, "valid_share": 0.2, "only": "a"})")})
        CHECK_THROWS_WITH(training::notedSplit({{"earshot.split", note}}, "a.safetensors"),
                          ContainsSubstring("a.safetensors: earshot.split: "));
}
