#include "Core/Model/Reading/Safetensors.h"

#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/FileBreaker.h"

#include <ctime>
#include <string>

using namespace earshot;

namespace {

std::string withHeader(const std::string& json, const std::string& data) {
    std::string file;
    for (int i = 0; i < 8; ++i) file += static_cast<char>(json.size() >> (8 * i));
    return file + json + data;
}

// 24 bytes of data in three tensors.
const std::string goodHeader = R"({"__metadata__": {"format": "pt"},
    "patch_embed.proj.weight": {"dtype": "F32", "shape": [2, 1, 1, 1], "data_offsets": [0, 8]},
    "half": {"dtype": "F16", "shape": [4], "data_offsets": [16, 24]},
    "number": {"dtype": "I64", "shape": [], "data_offsets": [8, 16]}})";
const std::string goodData("\0\0\x80\x3f\0\0\0\xc0\x07\0\0\0\0\0\0\0\0\x3c\0\xc0\x01\0\0\x7c", 24);

std::string tensorHeader(const std::string& entry) { return "{\"a\": " + entry + "}"; }

} // namespace

TEST_CASE("a safetensors file is read by name, converted to float32", "[unit]") {
    const test::TemporaryDirectory folder;
    test::writeBytes(folder / "good", withHeader(goodHeader, goodData));
    const auto file = model::openSafetensors(RegularFile(folder / "good"));
    REQUIRE(file->format() == "safetensors");
    REQUIRE(file->metadata() == std::map<std::string, std::string>{{"format", "pt"}});
    REQUIRE(file->tensors().size() == 3);
    REQUIRE(file->tensors().at("half").dtype == model::DType::float16);

    const auto weight = file->read("patch_embed.proj.weight");
    REQUIRE(weight.shape() == tensor::Shape{2, 1, 1, 1});
    REQUIRE(std::vector<float>(weight.data(), weight.data() + 2) == std::vector<float>{1.0f, -2.0f});
    REQUIRE_THROWS_WITH(file->read("number"),
                        ContainsSubstring("tensor number: expected weights, found int64"));
    const auto half = file->read("half");
    REQUIRE(half.data()[0] == 1.0f);
    REQUIRE(half.data()[1] == -2.0f);
    REQUIRE(half.data()[2] == 0x1p-24f);
    REQUIRE(half.data()[3] == std::numeric_limits<float>::infinity());
    REQUIRE_THROWS_WITH(file->read("absent"), ContainsSubstring("has no tensor absent"));

    // The memory of the same shape serves again.
    auto kept = file->read("half");
    const float* const memory = kept.data();
    file->readInto("half", kept);
    REQUIRE(kept.data() == memory);
    REQUIRE(kept.data()[2] == 0x1p-24f);
    file->readInto("patch_embed.proj.weight", kept);
    REQUIRE(kept.shape() == tensor::Shape{2, 1, 1, 1});
    REQUIRE(kept.data()[1] == -2.0f);
}

TEST_CASE("a safetensors header is refused with what is wrong", "[unit]") {
    struct Case {
        std::string json;
        std::string message;
        std::uint64_t dataBytes = 8;
    };
    const auto check = GENERATE(
        Case{"[]", "not an object"}, Case{"{\"a\": ", "not valid JSON"},
        Case{"{\"a\xff\": 1}", "not valid JSON"},
        Case{tensorHeader("7"), "expected dtype, shape and data_offsets"},
        Case{tensorHeader(R"({"dtype": "F32", "shape": [2]})"), "expected dtype, shape and data_offsets"},
        Case{tensorHeader(R"({"dtype": "F32", "shape": [2], "offsets": [0, 8]})"), "data_offsets is missing"},
        Case{tensorHeader(R"({"dtype": 1, "shape": [2], "data_offsets": [0, 8]})"), "dtype is not a string"},
        Case{tensorHeader(R"({"dtype": "F8_E4M3", "shape": [8], "data_offsets": [0, 8]})"), "type F8_E4M3"},
        Case{tensorHeader(R"({"dtype": "F32", "shape": 2, "data_offsets": [0, 8]})"),
             "shape is not an array"},
        Case{tensorHeader(R"({"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]})"), "other than sizes"},
        Case{tensorHeader(R"({"dtype": "F32", "shape": [2.0], "data_offsets": [0, 8]})"), "other than sizes"},
        Case{tensorHeader(R"({"dtype": "F32", "shape": ["2"], "data_offsets": [0, 8]})"), "other than sizes"},
        Case{tensorHeader(R"({"dtype": "F32", "shape": [18446744073709551615], "data_offsets": [0, 8]})"),
             "other than sizes"},
        Case{tensorHeader(R"({"dtype": "F32", "shape": [[2]], "data_offsets": [0, 8]})"),
             "nested too deeply"},
        Case{tensorHeader(R"({"dtype": "F32", "shape": [3], "data_offsets": [0, 8]})"),
             "does not take the 8 bytes"},
        // 2^62 * 4 elements of 4 bytes overflow to zero
        Case{tensorHeader(R"({"dtype": "F32", "shape": [4611686018427387904, 4], "data_offsets": [0, 0]})"),
             "does not take the 0 bytes", 0},
        Case{tensorHeader(R"({"dtype": "F32", "shape": [4611686018427387904], "data_offsets": [0, 0]})"),
             "does not take the 0 bytes", 0},
        Case{tensorHeader(R"({"dtype": "F32", "shape": [2], "data_offsets": [8, 0]})"), "not [begin, end]"},
        Case{tensorHeader(R"({"dtype": "F32", "shape": [2], "data_offsets": [0, 8, 8]})"),
             "not [begin, end]"},
        Case{tensorHeader(R"({"dtype": "F32", "shape": [2], "data_offsets": [0, 8]})"), "ends at byte 8 of 4",
             4},
        Case{tensorHeader(R"({"dtype": "F32", "shape": [2], "data_offsets": [4, 12]})"), "begins at byte 4",
             12},
        Case{tensorHeader(R"({"dtype": "F32", "shape": [2], "data_offsets": [0, 8]})"), "holds 12 bytes", 12},
        Case{R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                 "b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}})",
             "begins at byte 4, expected 8", 12},
        Case{R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                 "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})",
             "names \"a\" twice"},
        Case{R"({"__metadata__": {"k": "1", "k": "2"}})", "names \"k\" twice", 0},
        Case{R"({"__metadata__": []})", "__metadata__ is not an object", 0},
        Case{R"({"__metadata__": {"k": 1}})", "metadata \"k\" is not a string", 0},
        Case{
            tensorHeader(
                R"({"dtype": "U8", "shape": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],
                              "data_offsets": [0, 1]})"),
            "shape has 33 values", 1},
        Case{std::string(1'000'000, '['), "nested too deeply"});
    INFO(check.json.substr(0, 200));
    REQUIRE_THROWS_WITH(model::parseSafetensorsHeader(check.json, check.dataBytes, "m.safetensors"),
                        ContainsSubstring(check.message) && ContainsSubstring("m.safetensors"));
    REQUIRE_THROWS_AS(model::parseSafetensorsHeader(check.json, check.dataBytes, "m.safetensors"), Error);
}

TEST_CASE("a tensor's name cannot break the line of a message", "[unit]") {
    try {
        model::parseSafetensorsHeader("{\"a\\u001b[2J\\nb\": 7}", 0, "m.safetensors");
        FAIL("was accepted");
    } catch (const Error& refused) {
        const std::string message = refused.what();
        REQUIRE(message.find_first_of("\n\x1b") == std::string::npos);
    }
}

TEST_CASE("a safetensors header longer than its file or the format's limit is refused", "[unit]") {
    const test::TemporaryDirectory folder;
    const std::string limit("\x01\xe1\xf5\x05\0\0\0\0", 8); // 100,000,001
    test::writeBytes(folder / "large", limit + "{}");
    REQUIRE_THROWS_WITH(model::openSafetensors(RegularFile(folder / "large")),
                        ContainsSubstring("at most 100000000 are allowed"));
    test::writeBytes(folder / "long", std::string("\x09\0\0\0\0\0\0\0", 8) + "{\"a\": 1}");
    REQUIRE_THROWS_WITH(model::openSafetensors(RegularFile(folder / "long")), ContainsSubstring("cut short"));
    test::writeBytes(folder / "negative", std::string(8, '\xff') + "{}");
    REQUIRE_THROWS_AS(model::openSafetensors(RegularFile(folder / "negative")), Error);
}

TEST_CASE("a safetensors file that shrinks after it was opened is an error", "[unit]") {
    const test::TemporaryDirectory folder;
    test::writeBytes(folder / "good", withHeader(goodHeader, goodData));
    const auto file = model::openSafetensors(RegularFile(folder / "good"));
    std::filesystem::resize_file(folder / "good", 8 + goodHeader.size() + 4);
    REQUIRE_THROWS_WITH(file->read("patch_embed.proj.weight"), ContainsSubstring("cannot be read"));
}

TEST_CASE("a safetensors file cut anywhere is refused", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto whole = withHeader(goodHeader, goodData);
    REQUIRE(test::readToTheEnd(folder / "cut", whole));
    for (std::size_t length = 0; length < whole.size(); ++length) {
        INFO("cut to " << length << " bytes");
        REQUIRE_FALSE(test::readToTheEnd(folder / "cut", whole.substr(0, length)));
    }
    REQUIRE_FALSE(test::readToTheEnd(folder / "cut", whole + '\0'));
}

TEST_CASE("no damage to a safetensors file does more than raise an error", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto whole = withHeader(goodHeader, goodData);
    int opened = 0;
    for (std::uint32_t seed = 0; seed < 4000; ++seed)
        opened += test::readToTheEnd(folder / "damaged", test::mutated(whole, seed)) ? 1 : 0;
    REQUIRE(opened > 100); // damage to the data or to names goes unnoticed, so the readers were reached
}

namespace {

std::string entryOf(const std::string& name) {
    return "\"" + name + R"(": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]})";
}

std::string headerOf(std::size_t tensors) {
    std::string json = "{" + entryOf("first");
    for (std::size_t i = 1; i < tensors; ++i) json += ", " + entryOf("tensor." + std::to_string(i));
    return json + "}";
}

} // namespace

TEST_CASE("a safetensors header takes time in proportion to its length", "[unit]") {
    const auto begin = std::clock();
    REQUIRE(model::parseSafetensorsHeader(headerOf(60'000), 0, "m.safetensors").tensors.size() == 60'000);
    // Of the processor: a fifth of a second, where a quadratic parser took more than a minute.
    REQUIRE(std::clock() - begin < 10 * CLOCKS_PER_SEC);
}

TEST_CASE("what a safetensors header names is bounded", "[unit]") {
    const auto refused = [](const std::string& json, const std::string& why) {
        REQUIRE_THROWS_WITH(model::parseSafetensorsHeader(json, 0, "m.safetensors"),
                            ContainsSubstring(why) && ContainsSubstring("m.safetensors"));
    };
    refused(headerOf(model::maxTensors + 1), "more than 100000 names");
    refused("{" + entryOf(std::string(model::maxTensorNameLength + 1, 'x')) + "}", "a name of 1025 bytes");
    REQUIRE_NOTHROW(model::parseSafetensorsHeader(
        "{" + entryOf(std::string(model::maxTensorNameLength, 'x')) + "}", 0, "m.safetensors"));

    const auto metadata = [](std::size_t bytes) {
        return R"({"__metadata__": {"earshot.config": ")" + std::string(bytes, '[') + "\"}}";
    };
    refused(metadata(model::maxMetadataValueLength + 1), "metadata \"earshot.config\" takes 2097153 bytes");
    REQUIRE_NOTHROW(
        model::parseSafetensorsHeader(metadata(model::maxMetadataValueLength), 0, "m.safetensors"));
    std::string many = R"({"__metadata__": {"0": "")";
    for (std::size_t i = 1; i <= model::maxTensors; ++i) many += ", \"" + std::to_string(i) + "\": \"\"";
    refused(many + "}}", "more than 100000 names");
    std::string numbers = "0";
    for (int i = 0; i < 100'000; ++i) numbers += ",0";
    refused(R"({"a": {"dtype": "F32", "shape": [)" + numbers + R"(], "data_offsets": [0, 0]}})", "shape has");
}
