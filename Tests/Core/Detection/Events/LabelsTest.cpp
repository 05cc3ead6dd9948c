#include "Core/Detection/Events/Labels.h"

#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/SebbScorers.h"

#include <sys/stat.h>

using namespace earshot;
using detection::Labels;
using Metadata = std::map<std::string, std::string>;

namespace {

const Metadata threeLabels = {{"earshot.labels", R"(["Speech", "Dog, barking", "Größe"])"}};

Metadata withThresholds(const std::string& json) {
    auto metadata = threeLabels;
    metadata["earshot.thresholds"] = json;
    return metadata;
}

void requireRefused(const Metadata& metadata, int classes, const std::string& message) {
    INFO(message);
    REQUIRE_THROWS_AS(Labels::read(metadata, "m.safetensors", classes), Error);
    REQUIRE_THROWS_WITH(Labels::read(metadata, "m.safetensors", classes),
                        ContainsSubstring(message) && ContainsSubstring("m.safetensors"));
}

} // namespace

TEST_CASE("a model's own labels come first", "[unit]") {
    const test::TemporaryDirectory folder;
    test::writeBytes(folder / "m.csv", "label\na\nb\nc\n");
    const auto labels = Labels::read(threeLabels, folder / "m.safetensors", 3);
    REQUIRE(labels.names() == std::vector<std::string>{"Speech", "Dog, barking", "Größe"});
    REQUIRE(labels.source() == "the model");
    REQUIRE(labels.licence().empty());
    REQUIRE(labels.find("speech") == 0);
    REQUIRE(labels.find("DOG, BARKING") == 1);
    REQUIRE_FALSE(labels.find("Spee"));
    REQUIRE_FALSE(labels.find("Speech "));
    REQUIRE_FALSE(labels.threshold(0));
}

TEST_CASE("labels that do not fit the model are refused", "[unit]") {
    requireRefused(threeLabels, 4, "expected 4 labels, found 3");
    requireRefused({{"earshot.labels", "[\"a\""}}, 1, "not a JSON array of strings");
    requireRefused({{"earshot.labels", "{\"0\": \"a\"}"}}, 1, "not a JSON array of strings");
    requireRefused({{"earshot.labels", "[1]"}}, 1, "not a JSON array of strings");
}

TEST_CASE("labels come from a file beside the model, nearest name first", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto read = [&folder] { return Labels::read({}, folder / "m.v2.ckpt", 2); };
    REQUIRE(read().names() == std::vector<std::string>{"class 0", "class 1"});
    test::writeBytes(folder / "labels.csv", "label\nfar\nfarther\n");
    REQUIRE(read().name(0) == "far");
    test::writeBytes(folder / "m.v2.labels.csv", "label\nnear\nnearer\n");
    REQUIRE(read().name(0) == "near");
    test::writeBytes(folder / "m.v2.csv", "label\nnearest\nnext\n");
    REQUIRE(read().name(0) == "nearest");
    REQUIRE(read().source() == "m.v2.csv");
}

TEST_CASE("label files are read as people and spreadsheets write them", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto read = [&folder](const std::string& csv) {
        test::writeBytes(folder / "m.csv", csv);
        return Labels::read({}, folder / "m.ckpt", 2).names();
    };
    const std::vector<std::string> expected = {"Dog, barking", "Say \"hi\""};
    REQUIRE(read("\xef\xbb\xbfindex,mid,display_name\r\n0,/m/1,\"Dog, barking\"\r\n1,/m/2,\"Say "
                 "\"\"hi\"\"\"\r\n") == expected);
    REQUIRE(read("# made by hand\nname\n\"Dog, barking\"\n\n\"Say \"\"hi\"\"\"") == expected);
    REQUIRE(read("label,index\n\"Say \"\"hi\"\"\",1\n\"Dog, barking\",0\n") == expected);
    REQUIRE(read("name,display_name\na,A\nb,B\n") == std::vector<std::string>{"A", "B"});
    REQUIRE(read("name\na\xff\nb\n") == std::vector<std::string>{"a?", "b"});

    const auto refused = [&](const std::string& csv, const std::string& message) {
        INFO(message);
        REQUIRE_THROWS_WITH(read(csv), ContainsSubstring(message) && ContainsSubstring("m.csv"));
    };
    refused("", "a first line that names a column");
    refused("a\nb\n", "a first line that names a column");
    refused("label\na\n", "expected 2 labels, found 1");
    refused("label\na\nb\nc\n", "expected 2 labels, found 3");
    refused("index,label\n0,a\n0,b\n", "index 0 appears twice");
    refused("index,label\n0,a\n2,b\n", "expected an index from 0 to 1, found \"2\"");
    refused("index,label\n0,a\n-1,b\n", "found \"-1\"");
    refused("index,label\n0,a\n1x,b\n", "found \"1x\"");
    refused("index,label\n0,a\n1\n", "row 2 has no label");
}

TEST_CASE("labels that nobody would see are shown, and found by either spelling", "[unit]") {
    const std::map<std::string, std::string> metadata = {{"earshot.labels", "[\"Dog\", \"Do\u202eg\"]"},
                                                         {"earshot.thresholds", "{\"Do\u202eg\": 0.25}"}};
    const Labels labels = Labels::read(metadata, "m.safetensors", 2);
    REQUIRE(labels.name(1) == "Do<U+202E>g");
    REQUIRE(labels.find("Do\u202eg") == 1);
    REQUIRE(labels.find("do<u+202e>g") == 1);
    REQUIRE(labels.threshold(1) == 0.25f);
}

TEST_CASE("models with AudioSet's number of classes have its labels", "[unit]") {
    const auto labels = Labels::read({}, "m.ckpt", 527);
    REQUIRE(labels.source() == "AudioSet");
    REQUIRE(labels.count() == 527);
    REQUIRE(labels.name(0) == "Speech");
    REQUIRE(labels.name(1) == "Male speech, man speaking");
    REQUIRE(labels.name(526) == "Field recording");
    REQUIRE(labels.find("civil defense siren") == 397);
}

TEST_CASE("thresholds come as an array or by label", "[unit]") {
    const auto array = Labels::read(withThresholds("[0.25, null, 1]"), "m", 3);
    REQUIRE(array.threshold(0) == 0.25f);
    REQUIRE_FALSE(array.threshold(1));
    REQUIRE(array.threshold(2) == 1.0f);
    const auto byLabel = Labels::read(withThresholds(R"({"dog, barking": 0})"), "m", 3);
    REQUIRE(byLabel.threshold(1) == 0.0f);
    REQUIRE_FALSE(byLabel.threshold(0));

    requireRefused(withThresholds("[0.5]"), 3, "expected 3 thresholds, found 1");
    requireRefused(withThresholds("[0.5, 0.5, 1.01]"), 3, "Größe: expected a number from 0 to 1");
    requireRefused(withThresholds("[-0.1, 0.5, 1]"), 3, "expected a number from 0 to 1");
    requireRefused(withThresholds("[\"0.5\", 0.5, 1]"), 3, "expected a number from 0 to 1");
    requireRefused(withThresholds("[NaN, 0.5, 1]"), 3, "neither a JSON array nor an object");
    requireRefused(withThresholds(R"({"Cat": 0.5})"), 3, "no class is called \"Cat\"");
    requireRefused(withThresholds("0.5"), 3, "neither a JSON array nor an object");
}

TEST_CASE("an author's rules are read as they are written, and nonsense is refused", "[unit]") {
    const auto with = [](const std::string& json) {
        auto metadata = threeLabels;
        metadata["earshot.rules"] = json;
        return metadata;
    };
    const auto read = [&](const std::string& json) { return Labels::read(with(json), "m", 3).rules(); };
    CHECK(Labels::read(threeLabels, "m", 3).rules() == detection::AuthorRules{});
    CHECK(read("{}") == detection::AuthorRules{});
    for (const detection::AuthorRules& rules : {detection::AuthorRules{.release = 0.3f, .mergeGap = 0.32},
                                                {.release = 0.0f, .mergeGap = 0.0},
                                                {.release = std::nullopt, .mergeGap = 10.0}})
        CHECK(read(rules.metadata()) == rules);
    requireRefused(with("0.3"), 3, "earshot.rules is not a JSON object");
    requireRefused(with("{"), 3, "earshot.rules is not a JSON object");
    requireRefused(with(R"({"release": 1.5})"), 3, "release: expected a number from 0 to 1");
    requireRefused(with(R"({"release": "half"})"), 3, "release: expected a number from 0 to 1");
    requireRefused(with(R"({"merge_gap": -1})"), 3, "merge_gap: expected a number from 0 to 10");
    requireRefused(with(R"({"merge_gap": 1e9})"), 3, "merge_gap: expected a number from 0 to 10");
}

TEST_CASE("the licence of the weights is kept, on one line", "[unit]") {
    auto metadata = threeLabels;
    metadata["earshot.licence"] = "CC BY 4.0\nsee the card";
    REQUIRE(Labels::read(metadata, "m", 3).licence() == "CC BY 4.0?see the card");
}

TEST_CASE("only a regular file of a plausible size names a model's classes", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto labels = folder / "model.csv";
    REQUIRE(::mkfifo(labels.c_str(), 0600) == 0); // without a writer
    REQUIRE(Labels::read({}, folder / "model.ckpt", 1).source() == "numbers");
    REQUIRE_THROWS_WITH(detection::labelsFromFile(labels, 1), ContainsSubstring("model.csv: is a pipe"));
    std::filesystem::remove(labels);
    test::writeBytes(labels, "label\n" + std::string(4u << 20, 'x'));
    REQUIRE_THROWS_WITH(Labels::read({}, folder / "model.ckpt", 1),
                        ContainsSubstring("model.csv: is too large for a list of labels"));
}

TEST_CASE("words come after the classes, and keep a number of their own", "[unit]") {
    const auto classes = Labels::named({"Dog", "Rain"}, {{"earshot.licence", "CC0"}}, "somewhere");
    const auto words = Labels::withWords(classes, {"glass", "Dog"}, {7, 3});
    CHECK(words.names() == std::vector<std::string>{"Dog", "Rain", "glass", "Dog (text)"});
    CHECK(words.licence() == "CC0");
    CHECK(words.key(1) == formats::MidiKey{1, "Rain"});
    CHECK(words.wordId(1) == 0);
    CHECK(words.wordId(2) == 7);
    CHECK(words.key(2) == Labels::firstWordKey + 7);
    CHECK(words.key(3) == Labels::firstWordKey + 3);
    // The same word in another place has the same key.
    CHECK(Labels::withWords(Labels::named({}, {}, ""), {"glass"}, {7}).key(0) == words.key(2));
    // Queries without numbers are like classes.
    const auto queries = Labels::withWords(classes, {"glass"}, {});
    CHECK(queries.key(2) == formats::MidiKey{2, "glass"});
    CHECK(queries.wordId(2) == 0);
}

TEST_CASE("a model's boxes come with its classes, and not with words", "[unit]") {
    auto metadata = threeLabels;
    CHECK_FALSE(Labels::read(metadata, "m.safetensors", 3).sebbs());
    const auto text = test::scorerBy(test::meanFeature, 1.0f, 3)->metadata();
    metadata["earshot.boxes"] = text;
    const auto labels = Labels::read(metadata, "m.safetensors", 3);
    REQUIRE(labels.sebbs());
    CHECK(labels.sebbs()->metadata() == text);
    CHECK_FALSE(Labels::withWords(labels, {"glass"}, {7}).sebbs());
    CHECK_FALSE(Labels::named({"glass"}, metadata, "somewhere").sebbs());
    metadata["earshot.boxes"] = test::scorerBy(test::meanFeature, 1.0f, 2)->metadata();
    requireRefused(metadata, 3, "earshot.boxes: expected 3 classes, found 2");
}
