#include "Cli/Earshot.h"
#include "Support/Catch.h"
#include "Support/ProceduralWeights.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>

#include <sys/stat.h>

using namespace earshot;
using test::runEarshot;

TEST_CASE("info describes the default model", "[unit]") {
    const auto result = runEarshot({"info"});
    CHECK(result.exitCode == 0);
    CHECK(result.errors.empty());
    for (const std::string part : {"HTS-AT", "safetensors", "32000 Hz", "Parameters", "Memory", "Precision",
                                   "Licence", "Sounds", "Glass shatter", "Embedding", "320 values"})
        CHECK_THAT(result.output, ContainsSubstring(part));
    std::size_t width = 0;
    for (const char c : result.output) {
        width = c == '\n' ? 0 : width + 1;
        REQUIRE(width <= 200);
    }
}

TEST_CASE("info as JSON says the same to programs", "[unit]") {
    const auto result = runEarshot({"info", "--format", "json"});
    CHECK(result.exitCode == 0);
    const auto document = nlohmann::json::parse(result.output);
    CHECK(document.at("config").at("sample_rate") == 32000);
    CHECK(document.at("config").at("classes") == document.at("labels").size());
    CHECK(document.at("file_bytes") == std::filesystem::file_size(document.at("file").get<std::string>()));
    CHECK(document.at("parameters").get<long long>() > 1000000);
    const auto automatic = document.at("precision").at("automatic").get<std::string>();
    CHECK((automatic == "f32" || automatic == "bf16" || automatic == "int8"));
    CHECK_FALSE(document.at("precision").at("reason").get<std::string>().empty());
    CHECK(document.at("memory_bytes").at("weights").get<long long>() > 0);
}

TEST_CASE("info says what a CLAP model embeds sounds in", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto file = (directory / "clap.safetensors").string();
    auto model = test::asLaionClap(test::smallModel());
    const auto embedding = [&] {
        test::writeProceduralModel(file, model);
        return nlohmann::json::parse(runEarshot({"info", file, "--format", "json"}).output).at("embedding");
    };
    CHECK(embedding().at("projected") == 512);
    CHECK(embedding().at("latent") == model.config.latentDim());
    CHECK(std::abs(embedding().at("scale").get<double>() - 1.0 / 0.07) <= 1e-4);
    CHECK_THAT(runEarshot({"info", file}).output,
               ContainsSubstring("LAION-CLAP") && ContainsSubstring("512 values"));
    model.logScale = 2.0f;
    CHECK(std::abs(embedding().at("scale").get<double>() - std::exp(2.0)) <= 1e-4);
    CHECK_THAT(runEarshot({"info", file}).output, ContainsSubstring("7.389"));
    model.embeddingDim = 0;
    CHECK(embedding().at("projected").is_null());
    CHECK(embedding().at("scale").is_null());
}

TEST_CASE("info names an image model, and analyze says what it is for", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto file = (directory / "swin.safetensors").string();
    auto image = test::tinyImage();
    image.config.classes = 1000;
    image.config.block = GENERATE(model::BlockKind::v1, model::BlockKind::v2);
    test::writeProceduralModel(file, image);
    const bool isV2 = image.config.block == model::BlockKind::v2;
    const std::string version = isV2 ? "V2" : "V1";
    const auto described = runEarshot({"info", file});
    CHECK(described.exitCode == 0);
    CHECK(described.errors.empty());
    CHECK_THAT(described.output,
               ContainsSubstring("Swin " + version + " image model (ImageNet, 1000 classes), safetensors"));
    CHECK_THAT(described.output, ContainsSubstring("a start for training; it cannot listen by") &&
                                     ContainsSubstring("attention window 4"));
    const auto document = nlohmann::json::parse(runEarshot({"info", file, "--format", "json"}).output);
    CHECK(document.at("kind") == "Swin " + version + " image model");
    CHECK(document.at("image_classes") == 1000);
    CHECK(document.at("listens") == false);
    CHECK(document.at("config").at("window_size") == 4);
    CHECK(document.at("config").contains("pretrained_window_sizes") == isV2);

    const auto refused = runEarshot({"analyze", test::makeNoise(directory / "n.wav"), "--model", file});
    CHECK(refused.exitCode == 1);
    CHECK(refused.output.empty());
    CHECK(test::lineCount(refused.errors) == 1);
    CHECK_THAT(refused.errors, ContainsSubstring(file + ": is a Swin " + version + " image model"));
    CHECK_THAT(refused.errors, ContainsSubstring("earshot train --from " + file));
}

TEST_CASE("info fails on what is no model", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeBytes(directory / "empty.safetensors", "");
    test::writeBytes(directory / "text.ckpt", "no model at all");
    for (const std::string name : {"empty.safetensors", "text.ckpt", "missing.pt", "."}) {
        CAPTURE(name);
        const auto result = runEarshot({"info", (directory / name).string()});
        CHECK(result.exitCode == 1);
        CHECK(result.output.empty());
        CHECK(test::lineCount(result.errors) == 1);
        CHECK_THAT(result.errors, ContainsSubstring((directory / name).string()));
    }
}

TEST_CASE("info says what a model takes at most, and what it may", "[unit]") {
    const auto document = nlohmann::json::parse(runEarshot({"info", "--format", "json"}).output);
    const auto& memory = document.at("memory_bytes");
    CHECK(memory.at("allowed") == 2LL << 30);
    CHECK(memory.at("most").get<long long>() >=
          memory.at("weights").get<long long>() + memory.at("pass").get<long long>());
    CHECK(memory.at("most").get<long long>() < memory.at("allowed").get<long long>() / 4);
    CHECK_THAT(runEarshot({"info"}).output, ContainsSubstring("of 2.1 GB allowed"));
    const auto little = runEarshot({"info"}, {.environment = {{"EARSHOT_MODEL_MEMORY", "0.001"}}});
    CHECK(little.exitCode == 1);
    CHECK(test::lineCount(little.errors) == 1);
    CHECK_THAT(little.errors, ContainsSubstring("earshot-default.safetensors: would take"));
}

TEST_CASE("info refuses what analyze would refuse, at once and by the file's name", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto sound = test::makeNoise(directory / "noise.wav");
    auto few = test::smallModel();
    few.config.fftSize = 16; // 9 values for 16 bands
    few.config.hopSize = 16;
    test::writeProceduralModel(directory / "few.safetensors", few);
    auto busy = test::smallModel();
    busy.config.sampleRate = 768000;
    busy.config.fftSize = 65536;
    busy.config.hopSize = 1;
    test::writeProceduralModel(directory / "busy.safetensors", busy);
    auto large = test::smallModel();
    large.config.imageSize = 256;
    large.config.melBands = 64;
    large.config.attentionSide = 32;
    large.config.embedDim = 64;
    large.config.depths = {20};
    large.config.heads = {64};
    test::writeProceduralModel(directory / "large.safetensors", large);     // 25 MB for 5 GiB
    REQUIRE(::mkfifo((directory / "pipe.safetensors").c_str(), 0600) == 0); // without a writer
    for (const auto& [name, why] : {std::pair{"few.safetensors", "mel bands: expected 1 to 9, found 16"},
                                    {"busy.safetensors", "million operations for a second of sound"},
                                    {"large.safetensors", "would take 5."},
                                    {"pipe.safetensors", "is a pipe"}}) {
        const auto file = (directory / name).string();
        for (const auto& result :
             {runEarshot({"info", file}, {.signalAfter = std::chrono::seconds(30)}),
              runEarshot({"analyze", sound, "--model", file}, {.signalAfter = std::chrono::seconds(30)})}) {
            CAPTURE(name, result.errors);
            CHECK(result.exitCode == 1);
            CHECK(result.output.empty());
            CHECK(test::lineCount(result.errors) == 1);
            CHECK_THAT(result.errors, ContainsSubstring(file) && ContainsSubstring(why));
        }
    }
}

TEST_CASE("info says which frequencies a model hears, also by a mel matrix of its own", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto file = (directory / "model.safetensors").string();
    const auto check = [&](const test::ProceduralModel& model, const std::string& range, double lowest) {
        CAPTURE(range);
        test::writeProceduralModel(file, model);
        CHECK_THAT(runEarshot({"info", file}).output, ContainsSubstring("mel bands from " + range));
        const auto config =
            nlohmann::json::parse(runEarshot({"info", file, "--format", "json"}).output).at("config");
        CHECK(std::abs(config.at("fmin").get<double>() - lowest) <= 1e-6);
        CHECK(config.at("mel_scale").is_null() == !model.melFilters.empty());
    };
    auto model = test::smallModel();
    check(model, "50 to 14000 Hz, Slaney scale", 50.0);
    check(test::asMicrosoftClap(model), "69 to 19294 Hz, by filters of its own", 68.90625);
    // Whatever the config says, the matrix decides.
    const auto bands = static_cast<std::size_t>(model.config.melBands);
    model.melFilters.assign((static_cast<std::size_t>(model.config.fftSize) / 2 + 1) * bands, 0.0f);
    for (std::size_t band = 0; band < bands; ++band) model.melFilters[(32 + band) * bands + band] = 1.0f;
    check(model, "1000 to 1469 Hz, by filters of its own", 1000.0);
}
