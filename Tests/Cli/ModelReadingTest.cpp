// What the command line makes of checkpoints that state nothing, and of those with several networks.
#include "Cli/Archive.h"
#include "Cli/Earshot.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Support/Catch.h"
#include "Support/CombinedCheckpoint.h"
#include "Support/Folders.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

using namespace earshot;
using test::CombinedCheckpoint;
using test::runEarshot;

namespace {

using Words = std::vector<std::string>;

class ModelReading {
  public:
    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    std::string write(const std::string& name, const std::vector<test::ProceduralModel>& models,
                      const std::string& config = {}) const {
        auto checkpoint = std::make_unique<CombinedCheckpoint>(models);
        if (!config.empty()) checkpoint->state(config);
        test::writeProceduralModel(path(name), std::move(checkpoint));
        return path(name);
    }

    std::string clip() const {
        test::writeAudio(path("clip.wav"), test::AudioFormat::wavPcm16, 16000, 1, test::noise(5 * 16000, 3));
        return path("clip.wav");
    }

    // The clip's probabilities, (classes).
    std::vector<float> forward(const std::string& model, const Words& more = {}) const {
        const auto out = path("out.safetensors");
        Words words = {"forward", clip(), "--mode", "infer", "--model", model, "--out", out, "--overwrite"};
        words.insert(words.end(), more.begin(), more.end());
        const auto result = runEarshot(words);
        INFO(result.errors);
        REQUIRE(result.exitCode == 0);
        const auto values = model::Checkpoint::open(out)->read("clipwise_output");
        return {values.values().begin(), values.values().end()};
    }

  private:
    test::TemporaryDirectory folder_;
};

test::ProceduralModel atRate(int rate) {
    return test::withMelMatrix(test::tinyModel(), {.sampleRate = rate, .filters = {}});
}

nlohmann::json infoOf(const Words& words) {
    Words all = {"info", "--format", "json"};
    all.insert(all.end(), words.begin(), words.end());
    const auto result = runEarshot(all);
    INFO(result.errors);
    REQUIRE(result.exitCode == 0);
    return nlohmann::json::parse(result.output);
}

} // namespace

TEST_CASE("a checkpoint for another rate gives what it gives with its rate stated", "[unit]") {
    const ModelReading files;
    for (const int rate : {16000, 48000}) {
        CAPTURE(rate);
        const auto model = atRate(rate);
        const auto silent = files.write("silent.safetensors", {model});
        const auto stated =
            files.write("stated.safetensors", {model},
                        nlohmann::json{{"sample_rate", rate}, {"hop_size", rate / 100}}.dump());
        const auto expected = files.forward(stated);
        CHECK(files.forward(silent) == expected);
        const auto wrong = files.forward(silent, {"--sample-rate", "32000", "--hop-size", "320"});
        CHECK(wrong != expected);
        CHECK(files.forward(silent, {"--sample-rate", std::to_string(rate), "--hop-size",
                                     std::to_string(rate / 100)}) == expected);
        const auto info = infoOf({silent});
        CHECK(info.at("config").at("sample_rate") == rate);
        CHECK(info.at("config").at("hop_size") == rate / 100);
        CHECK(info.at("config").at("mel_scale") == "slaney");
        CHECK(info.at("origins").at("sample_rate") == "mel matrix");
        CHECK(info.at("mel_matrix").at("fmax") == 14000.0);
        CHECK(infoOf({stated}).at("origins").at("sample_rate") == "file");
        CHECK_THAT(runEarshot({"info", silent}).output,
                   ContainsSubstring(std::to_string(rate) + " Hz, derived from the mel matrix"));
    }
}

TEST_CASE("what a checkpoint does not show is assumed, said, and can be stated", "[unit]") {
    const ModelReading files;
    const auto model = files.write("m.safetensors", {test::tinyModel()});
    CHECK_THAT(
        runEarshot({"info", model}).output,
        ContainsSubstring("32000 Hz, assumed (as of published HTS-AT models); --sample-rate states another"));
    const auto info = infoOf({"--model", model, "--sample-rate", "24000"});
    CHECK(info.at("config").at("sample_rate") == 24000);
    CHECK(info.at("config").at("hop_size") == 240);
    CHECK(info.at("origins") ==
          nlohmann::json({{"sample_rate", "user"}, {"hop_size", "assumed"}, {"mel_bands", "assumed"}}));
    const auto analyzed = runEarshot({"analyze", files.clip(), "--model", model});
    CHECK(analyzed.exitCode == 0);
    CHECK_THAT(
        analyzed.errors,
        ContainsSubstring("hop of 320 samples are assumed (as of published HTS-AT models); --sample-rate"));
    const Words stated = {"analyze",       files.clip(), "--model",    model,
                          "--sample-rate", "16000",      "--hop-size", "160"};
    CHECK_THAT(runEarshot(stated).errors, !ContainsSubstring("assumed"));
    for (const auto* const bad : {"0", "nan", "16000.5", "1e9"})
        CHECK(runEarshot({"info", model, "--sample-rate", bad}).exitCode == 2);
    const auto gaps = runEarshot({"info", model, "--hop-size", "5000"});
    CHECK(gaps.exitCode == 1);
    CHECK_THAT(gaps.errors,
               ContainsSubstring(model) && ContainsSubstring("hop size") && ContainsSubstring("5000"));
}

TEST_CASE("35 classes are those of Speech Commands by their names, or as long as nothing names them",
          "[unit]") {
    const ModelReading files;
    auto tiny = test::tinyModel();
    tiny.config.classes = 35;
    const auto model = files.write("m.safetensors", {tiny});
    const auto rateOf = [&] { return infoOf({model}).at("config").at("sample_rate").get<int>(); };
    CHECK(rateOf() == 16000);
    CHECK_THAT(
        runEarshot({"info", model}).output,
        ContainsSubstring("16000 Hz, assumed (it has 35 classes, as models of Speech Commands V2 have"));
    CHECK_THAT(runEarshot({"analyze", files.clip(), "--model", model}).errors,
               ContainsSubstring("16000 Hz and a hop of 160 samples are assumed (it has 35 classes"));
    CHECK_THAT(
        runEarshot({"analyze", files.clip(), "--model", model, "--output-dir", files.path("out")}).errors,
        ContainsSubstring("16000 Hz and a hop of 160 samples are assumed (it has 35 classes"));
    const auto stated = infoOf({model, "--sample-rate", "32000", "--hop-size", "320"});
    CHECK(stated.at("config").at("sample_rate") == 32000);
    CHECK(stated.at("config").at("hop_size") == 320);
    CHECK_FALSE(stated.contains("assumption"));

    std::string others = "index,label\n", commands = "index,label\n";
    int index = 0;
    for (const auto* const word :
         {"Yes",    "No",     "Up",  "Down",     "Left",    "Right",  "On",    "Off",   "Stop",
          "Go",     "Zero",   "One", "Two",      "Three",   "Four",   "Five",  "Six",   "Seven",
          "Eight",  "Nine",   "Bed", "Bird",     "Cat",     "Dog",    "Tree",  "Happy", "House",
          "Marvin", "Sheila", "Wow", "Backward", "Forward", "Follow", "Learn", "Visual"}) {
        commands += std::to_string(index) + ',' + word + '\n';
        others += std::to_string(index) + ",bird " + std::to_string(index) + '\n';
        ++index;
    }
    REQUIRE(index == 35);
    test::writeBytes(files.path("m.csv"), others);
    CHECK(rateOf() == 32000);
    test::writeBytes(files.path("m.csv"), commands);
    CHECK(rateOf() == 16000);
    CHECK(infoOf({model}).at("assumption") == "its classes are the words of Speech Commands V2");
}

TEST_CASE("of two networks the averaged one is used, both are named, and either can be chosen", "[unit]") {
    const ModelReading files;
    const auto raw = test::under("model.", atRate(32000), 11),
               ema = test::under("model_ema.", atRate(32000), 12);
    const auto both = files.write("both.safetensors", {raw, ema});
    const auto averaged = files.forward(files.write("ema.safetensors", {test::under("", ema, 12)}));
    const auto other = files.forward(files.write("raw.safetensors", {test::under("", raw, 11)}));
    REQUIRE(averaged != other);
    CHECK(files.forward(both) == averaged);
    CHECK(files.forward(both, {"--weights", "ema"}) == averaged);
    CHECK(files.forward(both, {"--weights", "raw"}) == other);

    const auto said =
        ContainsSubstring("holds 2 networks, model (raw) and model_ema (ema); model_ema is used");
    const auto analyzed = runEarshot({"analyze", files.clip(), "--model", both});
    CHECK_THAT(analyzed.errors, said && ContainsSubstring("--weights"));
    CHECK(runEarshot({"analyze", files.clip(), "--model", both, "--quiet"}).errors.empty());
    CHECK_THAT(runEarshot({"analyze", files.clip(), "--model", both, "--weights", "raw"}).errors, !said);
    const auto info = runEarshot({"info", both});
    CHECK_THAT(info.output, ContainsSubstring("Networks") && ContainsSubstring("model_ema is used"));
    const auto networks = infoOf({both}).at("networks");
    REQUIRE(networks.size() == 2);
    CHECK(networks[0].at("name") == "model");
    CHECK(networks[1] == nlohmann::json({{"name", "model_ema"}, {"weights", "ema"}, {"used", true}}));

    const auto refused = runEarshot({"analyze", files.clip(), "--model", both, "--weights", "teacher"});
    CHECK(refused.exitCode == 1);
    CHECK_THAT(refused.errors,
               ContainsSubstring("--weights teacher") && ContainsSubstring("model_ema (ema)"));
    CHECK(runEarshot({"analyze", files.clip(), "--model", both, "--weights", "best"}).exitCode == 2);
}

TEST_CASE("results of another rate or other weights are never mixed", "[unit]") {
    const ModelReading files;
    const test::Archive archive(1);
    const auto both = files.write("both.safetensors", {test::under("model.", atRate(16000), 11),
                                                       test::under("model_ema.", atRate(16000), 12)});
    const auto run = [&](const Words& more) {
        auto words = archive.command("out", {"--model", both});
        words.insert(words.end(), more.begin(), more.end());
        return runEarshot(words);
    };
    REQUIRE(run({}).exitCode == 0);
    CHECK(run({}).exitCode == 0);
    const auto raw = run({"--weights", "raw"});
    CHECK(raw.exitCode == 1);
    CHECK_THAT(raw.errors, ContainsSubstring("weights was model_ema and is model now"));
    const auto rate = run({"--sample-rate", "32000"});
    CHECK(rate.exitCode == 1);
    CHECK_THAT(rate.errors, ContainsSubstring("16000 Hz"));
}

TEST_CASE("the option --model works wherever a model is taken", "[unit]") {
    const ModelReading files;
    const auto model = files.write("m.safetensors", {atRate(32000)});
    CHECK(infoOf({"--model", model}).at("file") == model);
    const auto twice = runEarshot({"info", model, "--model", model});
    CHECK(twice.exitCode == 2);
    const auto scored = runEarshot({"evaluate", "--model", model, "--noise", "0.01", "--format", "json"});
    CHECK(scored.exitCode == 0);
    CHECK(nlohmann::json::parse(scored.output).at("model") == "m.safetensors");
    CHECK_THAT(runEarshot({"train", "--help"}).output, ContainsSubstring("--model"));
    const auto alone = runEarshot({"train", "--data", files.path(""), "--output", files.path("n.safetensors"),
                                   "--sample-rate", "16000"});
    CHECK(alone.exitCode == 2);
    CHECK_THAT(alone.errors, ContainsSubstring("--from"));
}
