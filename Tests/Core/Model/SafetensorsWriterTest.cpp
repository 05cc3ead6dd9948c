#include "Core/Model/SafetensorsWriter.h"

#include "Core/Base/Error.h"
#include "Core/Model/Safetensors.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Compare.h"

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

    const auto read = model::openSafetensors(file);
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
