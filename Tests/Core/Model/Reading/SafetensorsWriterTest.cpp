#include "Core/Model/Reading/SafetensorsWriter.h"

#include "Core/Base/Error.h"
#include "Core/Model/Reading/Safetensors.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Compare.h"

#include <cmath>
#include <limits>

using namespace earshot;

namespace {

std::size_t filesIn(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

} // namespace

TEST_CASE("tensors and metadata come back as they were written", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "übung.safetensors";
    test::writeBytes(file, "an older file");
    const auto framewise = test::randomValues(60, 1);
    const auto latent = test::randomValues(7, 2);
    const std::vector<model::NamedTensor> tensors = {
        {"framewise_output", {3, 20}, framewise}, {"latent \"quoted\"", {7}, latent}, {"empty", {0, 4}, {}}};
    const std::map<std::string, std::string> metadata = {{"mode", "fit"}, {"label", "Ähre\n"}};
    model::writeSafetensors(file, tensors, metadata);

    const auto read = model::openSafetensors(RegularFile(file));
    REQUIRE(read->metadata() == metadata);
    REQUIRE(read->tensors().size() == tensors.size());
    for (const auto& item : tensors) {
        const auto values = read->read(item.name);
        REQUIRE(values.shape() == item.shape);
        REQUIRE(test::maxDifference(values.values(), item.values) == 0.0);
    }
    REQUIRE(filesIn(folder.path()) == 1);
    // Aligned, so that readers may map the values.
    REQUIRE(static_cast<unsigned char>(test::readBytes(file)[0]) % 8 == 0);
}

TEST_CASE("a file that cannot be written is an error and leaves nothing behind", "[unit]") {
    const test::TemporaryDirectory folder;
    const std::vector<float> values(4);
    const std::vector<model::NamedTensor> tensors = {{"a", {4}, values}};
    REQUIRE_THROWS_WITH(model::writeSafetensors(folder / "absent/out.safetensors", tensors),
                        ContainsSubstring("out.safetensors") &&
                            ContainsSubstring("check that its folder exists"));
    std::filesystem::create_directory(folder / "taken");
    test::writeBytes(folder / "taken/file", "so that the folder cannot be replaced");
    REQUIRE_THROWS_AS(model::writeSafetensors(folder / "taken", tensors), Error);
    REQUIRE_THROWS_WITH(model::writeSafetensors(folder / "out", tensors, {{"key", "\xff"}}),
                        ContainsSubstring("not UTF-8"));
    REQUIRE(filesIn(folder.path()) == 1);
}

TEST_CASE("float16 tensors round to the nearest half and are aligned behind float32 ones", "[unit]") {
    const test::TemporaryDirectory folder;
    // Each with what the nearest half is; halves between two go to the even one.
    const std::vector<float> values = {0.0f,
                                       -0.0f,
                                       1.0f,
                                       -2.5f,
                                       1.0f + 0x1p-11f,
                                       1.0f + 3 * 0x1p-11f,
                                       1.0f + 0x1p-11f + 0x1p-20f,
                                       65504.0f,
                                       65519.0f,
                                       65520.0f,
                                       0x1p-14f,
                                       0x1p-24f,
                                       0x1p-25f,
                                       0x1.8p-25f,
                                       0x1p-26f,
                                       0x1.ffep-15f,
                                       -3 * 0x1p-25f};
    const std::vector<float> expected = {0.0f,
                                         0.0f,
                                         1.0f,
                                         -2.5f,
                                         1.0f,
                                         1.0f + 0x1p-9f,
                                         1.0f + 0x1p-10f,
                                         65504.0f,
                                         65504.0f,
                                         std::numeric_limits<float>::infinity(),
                                         0x1p-14f,
                                         0x1p-24f,
                                         0.0f,
                                         0x1p-24f,
                                         0.0f,
                                         0x1p-14f,
                                         -2 * 0x1p-24f};
    const std::vector<float> exact = {0.1f, -0.2f};
    const std::vector<model::NamedTensor> tensors = {{"half", {17}, values, model::DType::float16},
                                                     {"full", {2}, exact}};
    model::writeSafetensors(folder / "mixed.safetensors", tensors);
    const auto read = model::openSafetensors(RegularFile(folder / "mixed.safetensors"));
    CHECK(read->tensors().at("half").dtype == model::DType::float16);
    const auto half = read->read("half");
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        CHECK(half.data()[i] == expected[i]);
    }
    CHECK(std::signbit(half.data()[1]));
    CHECK(test::maxDifference(read->read("full").values(), exact) == 0.0);
    const auto bytes = test::readBytes(folder / "mixed.safetensors");
    CHECK_THAT(bytes, ContainsSubstring("\"full\":{\"data_offsets\":[0,8]"));
}
