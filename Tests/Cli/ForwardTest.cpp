#include "Cli/Earshot.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/Paths.h"
#include "Support/ProceduralWeights.h"

#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

using namespace earshot;
using test::AudioFormat;
using test::runEarshot;

namespace {

std::vector<float> readTensor(const std::filesystem::path& file, const std::string& name,
                              const tensor::Shape& shape, std::size_t tensors = 3) {
    const auto checkpoint = model::Checkpoint::open(file);
    CHECK(checkpoint->tensors().size() == tensors);
    const tensor::Tensor values = checkpoint->read(name);
    REQUIRE(values.shape() == shape);
    return {values.values().begin(), values.values().end()};
}

std::string automaticPrecision() {
    const auto info = runEarshot({"info", "--format", "json"});
    return nlohmann::json::parse(info.output).at("precision").at("automatic");
}

} // namespace

TEST_CASE("forward agrees with the reference in every mode", "[golden]") {
    const test::TemporaryDirectory directory;
    const auto modelFile = (directory / "tiny.safetensors").string();
    const auto out = (directory / "out.safetensors").string();
    test::writeProceduralModel(modelFile, test::tinyModel());
    const auto golden = model::Checkpoint::open(test::goldenDirectory() / "outputs.safetensors");
    for (const std::string name : {"fit_10s", "fit_5s", "fit_10.24s", "crop_15s", "infer_2s", "infer_0.7s",
                                   "repeat_10s", "repeat_5s"}) {
        CAPTURE(name);
        const auto mode = name.substr(0, name.find('_'));
        const auto clip = test::goldenDirectory() / ("input_" + name.substr(mode.size() + 1) + ".flac");
        REQUIRE(runEarshot({"forward", clip.string(), "--model", modelFile, "--mode", mode, "--out", out,
                            "--overwrite"})
                    .exitCode == 0);
        const auto framewise = readTensor(out, "framewise_output", {1024, 16});
        std::vector<float> tokens; // one frame in 32
        for (std::size_t frame = 0; frame < 1024; frame += 32)
            tokens.insert(tokens.end(), framewise.begin() + static_cast<std::ptrdiff_t>(frame * 16),
                          framewise.begin() + static_cast<std::ptrdiff_t>((frame + 1) * 16));
        CHECK(test::maxDifference(tokens, golden->read(name + ".tokens").values()) <= 2e-5);
        CHECK(test::maxDifference(readTensor(out, "clipwise_output", {16}),
                                  golden->read(name + ".clipwise_output").values()) <= 2e-5);
    }
}

TEST_CASE("forward writes the embedding of CLAP models as the reference gives it", "[golden][slow]") {
    const test::TemporaryDirectory directory;
    const auto modelFile = (directory / "clap.safetensors").string();
    const auto out = (directory / "out.safetensors").string();
    const auto golden = model::Checkpoint::open(test::goldenDirectory() / "clap_outputs.safetensors");
    const auto check = [&](const test::ProceduralModel& model, const std::string& name,
                           const std::string& clip) {
        CAPTURE(name);
        test::writeProceduralModel(modelFile, model);
        const auto result = runEarshot({"forward", (test::goldenDirectory() / clip).string(), "--model",
                                        modelFile, "--mode", "fit", "--out", out, "--overwrite"});
        CHECK(result.exitCode == 0);
        CHECK(result.errors.empty());
        const auto compare = [&](const std::string& tensor, std::int64_t size, double tolerance) {
            CAPTURE(tensor);
            CHECK(test::maxDifference(readTensor(out, tensor, {size}, 4),
                                      golden->read(name + "." + tensor).values()) <= tolerance);
        };
        compare("embedding", model.embeddingDim, 1e-4);
        compare("latent_output", 768, 1e-4);
        compare("clipwise_output", 527, 2e-5);
    };
    check(test::asMicrosoftClap(test::fullModel()), "msclap_7s", "input_7s_44100.flac");
    check(test::asLaionClap(test::fullModel()), "laion_10s", "input_10s_48000.flac");
}

TEST_CASE("forward writes three tensors of one pass in every mode", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    const std::string out = (directory / "out.safetensors").string();
    const std::int64_t classes = 82, width = 320; // of the default model
    for (const std::string mode : {"fit", "infer", "repeat", "crop"}) {
        CAPTURE(mode);
        const auto result = runEarshot({"forward", file, "--mode", mode, "--out", out, "--overwrite"});
        CHECK(result.exitCode == 0);
        CHECK(result.errors.empty());
        CHECK(result.output.empty());
        const auto framewise = readTensor(out, "framewise_output", {1024, classes});
        const auto clipwise = readTensor(out, "clipwise_output", {classes});
        const auto latent = readTensor(out, "latent_output", {width});
        const auto isProbability = [](float p) { return p >= 0.0f && p <= 1.0f; };
        CHECK(std::all_of(framewise.begin(), framewise.end(), isProbability));
        CHECK(std::all_of(clipwise.begin(), clipwise.end(), isProbability));
        CHECK(std::all_of(latent.begin(), latent.end(), [](float value) { return std::isfinite(value); }));
        // A step's value is repeated over its 8 frames.
        const auto row = static_cast<std::size_t>(classes);
        for (std::size_t i = 0; i < row; ++i) CHECK(framewise[i] == framewise[7 * row + i]);
    }
}

TEST_CASE("forward says when it resamples", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = (directory / "clip.wav").string();
    test::writeAudio(file, AudioFormat::wavPcm16, 44100, 1, test::noise(44100, 1));
    const auto result =
        runEarshot({"forward", file, "--mode", "fit", "--out", (directory / "out.safetensors").string()});
    CHECK(result.exitCode == 0);
    CHECK_THAT(result.errors, ContainsSubstring("44100") && ContainsSubstring("32000"));
}

TEST_CASE("forward takes what fits its mode and refuses the rest by name", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string out = (directory / "out.safetensors").string();
    const auto forward = [&](double seconds, const std::string& mode) {
        const std::string file = (directory / "clip.wav").string();
        test::writeAudio(file, AudioFormat::wavPcm16, 32000, 1,
                         test::noise(static_cast<std::size_t>(seconds * 32000), 1));
        std::filesystem::remove(out);
        const auto result = runEarshot({"forward", file, "--mode", mode, "--out", out});
        CHECK(std::filesystem::exists(out) == (result.exitCode == 0));
        if (result.exitCode != 0) {
            CHECK(test::lineCount(result.errors) == 1);
            CHECK_THAT(result.errors, ContainsSubstring(file) && ContainsSubstring("earshot analyze"));
        }
        return result.exitCode;
    };
    CHECK(forward(10.2, "fit") == 0);
    CHECK(forward(10.3, "fit") == 1);
    CHECK(forward(20.4, "crop") == 0);
    CHECK(forward(20.6, "crop") == 1);
    CHECK(forward(300.0, "crop") == 1);
    CHECK(forward(1.0 / 32000, "fit") == 0);
}

TEST_CASE("forward in another precision is close to float32, and float32 is what it takes by itself",
          "[unit]") {
    const test::TemporaryDirectory directory;
    const auto modelFile = (directory / "tiny.safetensors").string();
    test::writeProceduralModel(modelFile, test::tinyModel());
    const auto clip = (test::goldenDirectory() / "input_5s.flac").string();
    const auto run = [&](const std::vector<std::string>& options) {
        const auto out = (directory / "out.safetensors").string();
        std::vector<std::string> arguments = {"forward", clip,    "--model", modelFile,    "--mode",
                                              "fit",     "--out", out,       "--overwrite"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        REQUIRE(runEarshot(arguments).exitCode == 0);
        return readTensor(out, "clipwise_output", {16});
    };
    const auto exact = run({});
    CHECK(run({"--precision", "f32"}) == exact);
    CHECK(test::maxDifference(run({"--precision", "bf16"}), exact) <= 0.02);
    CHECK(test::maxDifference(run({"--precision", "int8"}), exact) <= 0.05);
    CHECK(run({"--precision", "auto"}) == run({"--precision", automaticPrecision()}));
    const auto unknown = runEarshot({"forward", clip, "--model", modelFile, "--mode", "fit", "--out",
                                     (directory / "none").string(), "--precision", "f16"});
    CHECK(unknown.exitCode == 2);
    CHECK_THAT(unknown.errors, ContainsSubstring("auto") && ContainsSubstring("bf16"));
}

TEST_CASE("forward fails without leaving anything behind", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    const auto to = [&](const std::string& in, const std::string& out) {
        const auto result = runEarshot({"forward", in, "--mode", "fit", "--out", out});
        CHECK(test::lineCount(result.errors) == 1);
        return result.exitCode;
    };
    const std::string out = (directory / "out.safetensors").string();
    test::writeBytes(directory / "empty.wav", "");
    CHECK(to((directory / "empty.wav").string(), out) == 1);
    CHECK(to((directory / "missing.wav").string(), out) == 1);
    CHECK(!std::filesystem::exists(out));
    CHECK(to(file, (directory / "no folder" / "out.safetensors").string()) == 1);
    CHECK(to(file, directory.path().string()) == 1);
    CHECK(to(file, "/dev/null") == 1);
    CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("forward gives the same, however few threads OpenMP gives it", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    const auto out = (directory / "out.safetensors").string();
    const auto run = [&](const std::string& threads, const test::ProcessOptions& options) {
        const auto result = runEarshot(
            {"forward", file, "--mode", "fit", "--out", out, "--overwrite", "--threads", threads}, options);
        REQUIRE(result.exitCode == 0);
        return readTensor(out, "latent_output", {320});
    };
    const auto one = run("1", {});
    for (const auto& [name, value] :
         {std::pair{"OMP_THREAD_LIMIT", "1"}, {"OMP_MAX_ACTIVE_LEVELS", "0"}, {"OMP_DYNAMIC", "true"}}) {
        CAPTURE(name);
        CHECK(test::maxDifference(run("2", {.environment = {{name, value}}}), one) <= 1e-5);
    }
}

TEST_CASE("forward makes numbers of samples far beyond full scale", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = (directory / "huge.wav").string();
    const auto out = (directory / "out.safetensors").string();
    auto samples = test::noise(32000, 1);
    samples[16000] = 3e38f;
    test::writeAudio(file, AudioFormat::wavFloat, 32000, 1, samples);
    REQUIRE(runEarshot({"forward", file, "--mode", "fit", "--out", out}).exitCode == 0);
    for (const float value : readTensor(out, "latent_output", {320})) REQUIRE(std::isfinite(value));
}

TEST_CASE("forward and embed refuse a model whose values overflow, and leave nothing behind", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    const auto modelFile = (directory / "diverged.safetensors").string();
    test::writeProceduralModel(
        modelFile, test::enlarged(test::proceduralCheckpoint(test::tinyModel()), "attn.qkv.weight", 1e25f));
    const auto refused = [&](const std::vector<std::string>& arguments) {
        const auto result = runEarshot(arguments);
        CHECK(result.exitCode == 1);
        CHECK_THAT(result.errors, ContainsSubstring("no numbers"));
    };
    const auto out = (directory / "out.safetensors").string();
    for (const std::string precision : {"f32", "bf16", "int8"}) {
        CAPTURE(precision);
        refused(
            {"forward", file, "--model", modelFile, "--mode", "fit", "--out", out, "--precision", precision});
        refused({"embed", file, "--model", modelFile, "--precision", precision});
        refused({"analyze", file, "--model", modelFile, "--precision", precision});
    }
    const auto all = std::filesystem::directory_iterator(directory.path());
    CHECK(std::distance(all, std::filesystem::directory_iterator()) == 2);
}
