#include "Library/Client.h"

#include "Cli/Paths.h"
#include "Support/ProceduralWeights.h"
#include "Support/Process.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdlib>

using namespace earshot;

TEST_CASE("the library finds in a file what the command line prints of it", "[unit]") {
    const auto model = test::openModel();
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    const auto events = test::eventsOf(test::analyzeFile(model, test::demoFile(), analysis));
    const auto printed =
        test::runProcess(test::programPath(), {"analyze", test::demoFile().string(), "--format", "json",
                                               "--quiet", "--model", test::defaultModelFile().string()});
    REQUIRE(printed.exitCode == 0);
    const auto expected = nlohmann::json::parse(printed.output);
    REQUIRE(expected.size() >= 5);
    REQUIRE(events.size() == expected.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        CHECK(earshot_model_label(model.get(), events[i].class_index) == expected[i]["label"]);
        constexpr double halfOfThem = 5e-4, halfOfThese = 5.1e-7;
        CHECK(std::abs(events[i].onset - expected[i]["onset_s"].get<double>()) <= halfOfThem);
        CHECK(std::abs(events[i].offset - expected[i]["offset_s"].get<double>()) <= halfOfThem);
        CHECK(std::abs(static_cast<double>(events[i].peak) - expected[i]["peak"].get<double>()) <=
              halfOfThese);
    }
}

TEST_CASE("an embedding is that of the command line", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto clip = test::changingClip(12.0, 44100, 2);
    clip.write(folder / "clip.wav");
    earshot_model_options options = EARSHOT_MODEL_OPTIONS_INIT;
    options.precision = EARSHOT_PRECISION_F32; // the command line's default for embeddings
    earshot_model* opened = nullptr;
    REQUIRE(earshot_model_open(test::defaultModelFile().string().c_str(), &options, &opened) == EARSHOT_OK);
    const test::Model model(opened);
    const auto size = earshot_model_embedding_size(model.get());
    REQUIRE(size > 0);
    std::vector<float> fromFile(size), fromSamples(size);
    const auto file = (folder / "clip.wav").string();
    REQUIRE(earshot_embed_file(model.get(), file.c_str(), nullptr, fromFile.data(), size) == EARSHOT_OK);
    const auto audio = clip.audio();
    REQUIRE(earshot_embed_samples(model.get(), &audio, nullptr, fromSamples.data(), size) == EARSHOT_OK);
    CHECK(test::same(fromFile, fromSamples));

    const auto run = test::runProcess(test::programPath(),
                                      {"embed", file, "--per", "file", "--quiet", "--output-dir",
                                       folder.path().string(), "--model", test::defaultModelFile().string()});
    REQUIRE(run.exitCode == 0);
    const auto bytes = test::readBytes(folder / "clip.wav.embeddings.npy");
    REQUIRE(bytes.size() > size * sizeof(float));
    CHECK(std::memcmp(bytes.data() + bytes.size() - size * sizeof(float), fromFile.data(),
                      size * sizeof(float)) == 0);
}

TEST_CASE("an embedding of one channel is that of a recording of it", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto model = test::openModel();
    const auto size = earshot_model_embedding_size(model.get());
    const auto both = test::changingClip(3.0, 32000, 2);
    test::Clip second{.samples = {}, .channels = 1, .rate = 32000};
    for (std::size_t i = 1; i < both.samples.size(); i += 2) second.samples.push_back(both.samples[i]);
    both.write(folder / "both.wav");
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.channel = 2;
    std::vector<float> expected(size), fromSamples(size), fromFile(size), mix(size);
    const auto alone = second.audio(), audio = both.audio();
    const auto file = (folder / "both.wav").string();
    REQUIRE(earshot_embed_samples(model.get(), &alone, nullptr, expected.data(), size) == EARSHOT_OK);
    REQUIRE(earshot_embed_samples(model.get(), &audio, &analysis, fromSamples.data(), size) == EARSHOT_OK);
    REQUIRE(earshot_embed_file(model.get(), file.c_str(), &analysis, fromFile.data(), size) == EARSHOT_OK);
    REQUIRE(earshot_embed_samples(model.get(), &audio, nullptr, mix.data(), size) == EARSHOT_OK);
    CHECK(test::same(fromSamples, expected));
    CHECK(test::same(fromFile, expected));
    CHECK(!test::same(mix, expected));
}

TEST_CASE("a small CLAP model for tests in other languages", "[.]") {
    const char* file = std::getenv("EARSHOT_TEXT_MODEL");
    REQUIRE(file != nullptr);
    test::writeProceduralModel(file, test::asLaionClap(test::smallModel()), test::tinyText(false));
}

TEST_CASE("texts become classes, with the events of the command line", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "clap.safetensors";
    test::writeProceduralModel(file, test::asLaionClap(test::smallModel()), test::tinyText(false));
    const test::Clip clip{.samples = test::noise(48000 * 6, 1, 0.3f), .channels = 1, .rate = 48000};
    clip.write(folder / "clip.wav");
    auto model = test::openModel(file);
    CHECK(std::string(earshot_model_property(model.get(), "texts")) == "yes");

    const std::array<const char*, 2> texts = {"a dog barks=Dog", "rain"};
    earshot_model* made = nullptr;
    const auto status = earshot_model_with_texts(model.get(), texts.data(), texts.size(), &made);
    INFO(earshot_last_error());
    REQUIRE(status == EARSHOT_OK);
    const test::Model listening(made);
    model.reset(); // they share what is needed
    REQUIRE(earshot_model_class_count(listening.get()) == 2);
    CHECK(std::string(earshot_model_label(listening.get(), 0)) == "Dog");
    CHECK(earshot_model_find_class(listening.get(), "RAIN") == 1);

    earshot_rules rules = EARSHOT_RULES_INIT;
    rules.threshold = 0.05;
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.rules = &rules;
    const auto events = test::eventsOf(test::analyzeSamples(listening, clip.audio(), analysis));
    const auto run =
        test::runProcess(test::programPath(), {"analyze", (folder / "clip.wav").string(), "--model",
                                               file.string(), "--listen", texts[0], "--listen", texts[1],
                                               "--threshold", "0.05", "--format", "json", "--quiet"});
    REQUIRE(run.exitCode == 0);
    const auto expected = nlohmann::json::parse(run.output);
    REQUIRE(!events.empty());
    REQUIRE(events.size() == expected.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        CHECK(earshot_model_label(listening.get(), events[i].class_index) == expected[i]["label"]);
        CHECK(std::abs(static_cast<double>(events[i].mean) - expected[i]["mean"].get<double>()) <= 5.1e-7);
    }
}
