// Weights in integers: multiplied by their scales where these are known, and refused otherwise.
#include "Core/Base/Error.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/TorchMaker.h"

#include <cstring>
#include <string>
#include <vector>

using namespace earshot;

namespace {

struct Stored {
    std::string name, dtype, shape, bytes;
};

std::string floats(const std::vector<float>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

const std::string sixBytes("\x01\xfe\x7f\x80\x00\x03", 6); // 1, -2, 127, -128, 0, 3
const Stored bytes{"a.weight", "I8", "[2, 3]", sixBytes};

std::unique_ptr<model::Checkpoint> open(const test::TemporaryDirectory& folder,
                                        const std::vector<Stored>& tensors) {
    std::string header = "{", data;
    for (const auto& [name, dtype, shape, stored] : tensors) {
        header += (header.size() > 1 ? ", \"" : "\"") + name + R"(": {"dtype": ")" + dtype +
                  R"(", "shape": )" + shape + R"(, "data_offsets": [)" + std::to_string(data.size()) + ", " +
                  std::to_string(data.size() + stored.size()) + "]}";
        data += stored;
    }
    header += "}";
    std::string file;
    for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i));
    test::writeBytes(folder / "model.safetensors", file + header + data);
    return model::Checkpoint::open(folder / "model.safetensors");
}

std::vector<float> valuesOf(model::Checkpoint& file) {
    const auto values = file.read("a.weight");
    return {values.values().begin(), values.values().end()};
}

} // namespace

TEST_CASE("int8 weights are multiplied by the scales of their rows, or by one", "[unit]") {
    const test::TemporaryDirectory folder;
    const std::vector<float> byRow = {0.5f, -1.0f, 63.5f, -32.0f, 0.0f, 0.75f};
    for (const std::string shape : {"[2, 1]", "[2]"}) {
        const auto file = open(folder, {bytes, {"a.weight_scale", "F32", shape, floats({0.5f, 0.25f})}});
        CHECK(valuesOf(*file) == byRow);
        CHECK(file->scaleOf("a.weight") == "a.weight_scale");
        const std::vector<std::int64_t> second = {1};
        const auto row = file->readRows("a.weight", second);
        CHECK(std::vector<float>(row.values().begin(), row.values().end()) ==
              std::vector<float>{-32.0f, 0.0f, 0.75f});
    }
    for (const std::string shape : {"[]", "[1]"}) {
        const auto file = open(folder, {bytes, {"a.weight_scale", "F32", shape, floats({2.0f})}});
        CHECK(valuesOf(*file) == std::vector<float>{2, -4, 254, -256, 0, 6});
    }
}

TEST_CASE("other quantised weights are refused with the tensor's name and the reason", "[unit]") {
    const test::TemporaryDirectory folder;
    const Stored rows{"a.weight_scale", "F32", "[2, 1]", floats({0.5f, 0.25f})};
    const Stored integers{"a.weight", "I32", "[2, 3]", std::string(24, '\1')};
    const auto expectRefused = [&](const std::vector<Stored>& tensors, const std::string& reason) {
        const auto file = open(folder, tensors);
        CHECK_THROWS_WITH(file->read("a.weight"), ContainsSubstring("model.safetensors: tensor a.weight: ") &&
                                                      ContainsSubstring(reason) &&
                                                      ContainsSubstring("before it was quantised"));
        const std::vector<std::int64_t> first = {0};
        CHECK_THROWS_AS(file->readRows("a.weight", first), Error);
    };
    expectRefused({bytes}, "found int8 without scales");
    expectRefused({bytes, rows, {"a.weight_zero_point", "I8", "[2, 1]", std::string(2, '\1')}}, "found int8");
    expectRefused({bytes, {"a.weight_scale", "F32", "[1, 3]", floats({1, 2, 3})}}, "found int8");
    expectRefused({bytes, {"a.weight_scale", "I32", "[2]", std::string(8, '\1')}}, "found int8");
    expectRefused({bytes, {"a.SCB", "F32", "[2]", floats({1, 2})}}, "found int8");
    expectRefused({integers}, "found int32");
    expectRefused({integers, rows}, "found int32");
    expectRefused({{"a.weight", "I64", "[2, 3]", std::string(48, '\1')}}, "found int64");
    expectRefused({{"a.weight", "I16", "[2, 3]", std::string(12, '\1')}}, "found int16");
    expectRefused({{"a.weight", "U8", "[2, 3]", sixBytes}, rows}, "found uint8");
    expectRefused({{"a.weight", "BOOL", "[2, 3]", std::string(6, '\1')}}, "found bool");
    const Stored grid{"a.weight", "F32", "[2, 3]", floats({1, -2, 127, -128, 0, 3})};
    expectRefused({grid, rows}, "is quantised, as a.weight_scale beside it says");
    expectRefused({grid, {"a.weight_zero_point", "F32", "[1]", floats({1})}}, "a.weight_zero_point");
}

TEST_CASE("PyTorch's integers are no weights either", "[unit]") {
    namespace pickled = test::pickled;
    const test::TemporaryDirectory folder;
    const auto chars = pickled::tensor(pickled::storage("CharStorage", "0", 6), 0, {2, 3}, {3, 1});
    const auto scales = pickled::tensor(pickled::storage("FloatStorage", "1", 2), 0, {2}, {1});
    const auto network =
        pickled::tensor(pickled::storage("FloatStorage", "1", 2), 0, {2, 1, 1, 1}, {1, 1, 1, 1});
    const auto write = [&](bool hasScales) {
        std::vector<std::pair<std::string, std::string>> items = {{"patch_embed.proj.weight", network},
                                                                  {"a.weight", chars}};
        if (hasScales) items.emplace_back("a.weight_scale", scales);
        test::writeBytes(folder / "model.pt",
                         test::torchFile(pickled::document(pickled::dictionary(items)),
                                         {{"0", sixBytes}, {"1", floats({0.5f, 0.25f})}}));
        return model::Checkpoint::open(folder / "model.pt");
    };
    CHECK(valuesOf(*write(true)) == std::vector<float>{0.5f, -1.0f, 63.5f, -32.0f, 0.0f, 0.75f});
    CHECK_THROWS_WITH(write(false)->read("a.weight"), ContainsSubstring("expected weights, found int8"));
}
