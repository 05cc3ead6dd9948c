#include "Cli/Earshot.h"
#include "Cli/NamedModel.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Paths.h"

#include <nlohmann/json.hpp>

using namespace earshot;
using test::runEarshot;

namespace {

void makeSounds(const std::filesystem::path& folder) {
    constexpr int rate = 32000;
    std::filesystem::create_directories(folder / "Beep");
    for (int i = 0; i < 3; ++i)
        test::writeAudio(folder / "Beep" / (std::to_string(i) + ".wav"), test::AudioFormat::wavPcm16, rate, 1,
                         test::sine(2500.0 * (1.0 + 0.04 * i), 0.6, rate));
}

} // namespace

TEST_CASE("earshot teach adds sounds to a model, and teaches them anew", "[unit]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    const auto output = (folder / "mine.safetensors").string();
    const std::vector<std::string> words = {
        "teach", (folder / "sounds").string(), "--output", output, "--threads", "2"};
    const auto taught = runEarshot(words);
    INFO(taught.errors);
    REQUIRE(taught.exitCode == 0);
    CHECK_THAT(taught.output,
               ContainsSubstring("Beep: 3 examples (") && ContainsSubstring("from 3 sources; detects ") &&
                   ContainsSubstring(" % in cross-validation; ") && ContainsSubstring("1 sound learnt in"));
    CHECK_THAT(test::readBytes(folder / "mine.md"), ContainsSubstring("| Beep | 3 |"));
    const auto info = nlohmann::json::parse(runEarshot({"info", output, "--format", "json"}).output);
    CHECK(info.at("labels").size() == 83);
    CHECK(info.at("labels").back() == "Beep");

    CHECK_THAT(runEarshot(words).errors, ContainsSubstring("--overwrite"));
    auto anew = words;
    anew.insert(anew.end(), {"--model", output, "--overwrite", "--rows", "prototype", "--quiet"});
    const auto again = runEarshot(anew);
    INFO(again.errors);
    CHECK(again.exitCode == 0);
    CHECK(again.errors.empty());
    CHECK(
        nlohmann::json::parse(runEarshot({"info", output, "--format", "json"}).output).at("labels").size() ==
        83);
}

TEST_CASE("earshot teach never writes over an example, and says what is wrong", "[unit]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    const auto sounds = (folder / "sounds").string();
    CHECK_THAT(runEarshot({"teach", sounds, "--output", (folder / "mine.onnx").string()}).errors,
               ContainsSubstring("ends in .safetensors"));
    CHECK(runEarshot({"teach", (folder / "none").string(), "--output", (folder / "m.safetensors").string()})
              .exitCode != 0);
    CHECK_FALSE(std::filesystem::exists(folder / "m.safetensors"));
    std::filesystem::create_directory(folder / "sounds" / "Hiss");
    std::filesystem::copy_file(folder / "sounds" / "Beep" / "0.wav", folder / "sounds" / "Hiss" / "x.wav");
    // The same clip under two names is an example of neither.
    const auto twice =
        runEarshot({"teach", sounds, "--output", (folder / "m.safetensors").string(), "--threads", "2"});
    CHECK(twice.exitCode != 0);
    CHECK_THAT(twice.errors, ContainsSubstring("no example of Hiss can be used"));
}

TEST_CASE("earshot teach replaces no model that was never taught", "[unit]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    const auto model = folder / "birds.safetensors", card = folder / "birds.md";
    std::filesystem::copy_file(test::defaultModelFile(), model);
    test::writeBytes(card, "authors and licences");
    const auto result = runEarshot({"teach", (folder / "sounds").string(), "--model", model.string(),
                                    "--output", model.string(), "--overwrite", "--threads", "2"});
    CHECK(result.exitCode == 2);
    CHECK_THAT(result.errors, ContainsSubstring("birds.safetensors") && ContainsSubstring("the model"));
    CHECK(test::readBytes(model) == test::readBytes(test::defaultModelFile()));
    CHECK(test::readBytes(card) == "authors and licences");
}

TEST_CASE("earshot teach names the clips that it cannot read, and the folder above", "[unit]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    test::writeBytes(folder / "sounds/Beep/3.m4a", "some audio");
    std::filesystem::rename(folder / "sounds/Beep/0.wav", folder / "sounds/Beep/0.bwf");
    const auto output = (folder / "mine.safetensors").string();
    const auto model = test::writeNamedModel(folder / "small.safetensors", {"Bark", "Rain"});
    const auto taught = runEarshot(
        {"teach", (folder / "sounds").string(), "--model", model, "--output", output, "--threads", "2"});
    INFO(taught.errors);
    REQUIRE(taught.exitCode == 0);
    CHECK_THAT(taught.output, ContainsSubstring("Beep: 3 examples ("));
    CHECK_THAT(taught.errors, ContainsSubstring("3.m4a: is audio that Earshot does not read"));

    const auto inside =
        runEarshot({"teach", (folder / "sounds/Beep").string(), "--output", output, "--overwrite"});
    CHECK(inside.exitCode == 1);
    CHECK_THAT(inside.errors, ContainsSubstring("name the folder above: " + (folder / "sounds").string()));
}
