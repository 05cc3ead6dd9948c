#include "Core/Detection/Kept/Embeddings.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Frontend/LogMel.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Tensor/Threads.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/Golden.h"
#include "Support/Paths.h"
#include "Support/ProceduralWeights.h"

#include <cmath>

using namespace earshot;
using detection::EmbeddingKind;

namespace {

std::shared_ptr<const model::Weights> load(const test::ProceduralModel& model) {
    return std::make_shared<const model::Weights>(*test::proceduralCheckpoint(model));
}

struct Row {
    double start, end;
    std::vector<float> values;
    bool operator==(const Row&) const = default;
};

std::vector<Row> embed(const std::shared_ptr<const model::Weights>& weights,
                       const detection::EmbeddingSettings& settings, std::span<const float> samples,
                       std::size_t block = 0) {
    detection::Embedder embedder(weights, settings);
    std::vector<Row> rows;
    embedder.setReceiver([&](const detection::WindowEmbedding& window) {
        rows.push_back({window.start, window.end, {window.values.begin(), window.values.end()}});
    });
    while (block > 0 && samples.size() > block) {
        embedder.push(samples.first(block));
        samples = samples.subspan(block);
    }
    embedder.push(samples);
    embedder.finish();
    return rows;
}

// By itself, as a clip of exactly a window.
std::vector<float> embedClip(const std::shared_ptr<const model::Weights>& weights,
                             std::span<const float> clip) {
    tensor::setThreadCount(1);
    detection::EmbeddingPass pass(weights, detection::usualEmbedding(*weights));
    const auto values = pass.run(frontend::logMelSpectrogram(detection::logMelSettings(*weights), clip));
    return {values.begin(), values.end()};
}

const auto microsoft = test::asMicrosoftClap(test::smallModel());
const auto laion = test::asLaionClap(test::smallModel());

} // namespace

TEST_CASE("windows lie where they should, and each is heard by itself", "[unit]") {
    const auto weights = load(microsoft);
    const auto clip = detection::publishedClip(*weights);
    const double rate = weights->config().sampleRate;
    const double window = static_cast<double>(clip.samples) / rate;
    const auto recording = test::noise(static_cast<std::size_t>(clip.samples * 33 / 10), 3);
    const double length = static_cast<double>(recording.size()) / rate;
    for (const double hop : {window, window / 2, 0.7, 1.0 / 3, 3.0}) {
        CAPTURE(hop);
        const auto rows = embed(weights, {.kind = EmbeddingKind::projected, .hop = hop}, recording);
        REQUIRE(!rows.empty());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto first = static_cast<std::size_t>(std::llround(static_cast<double>(i) * hop * rate));
            CHECK(rows[i].start == static_cast<double>(first) / rate);
            CHECK(
                rows[i].end ==
                std::min(static_cast<double>(first + static_cast<std::size_t>(clip.samples)) / rate, length));
            if (first + static_cast<std::size_t>(clip.samples) > recording.size()) continue;
            CHECK(rows[i].values == embedClip(weights, std::span(recording).subspan(
                                                           first, static_cast<std::size_t>(clip.samples))));
        }
        // All is heard, and nothing more often than the hop asks for.
        if (hop <= window) CHECK(rows.back().end == length);
        if (rows.size() > 1) CHECK(rows[rows.size() - 2].end < length);
        if (hop > window) CHECK(rows.back().start + hop >= length);
    }
}

TEST_CASE("embeddings do not depend on blocks and threads", "[unit][threads]") {
    const auto weights = load(laion);
    const auto clip = static_cast<std::size_t>(detection::publishedClip(*weights).samples);
    const auto recording = test::noise(clip * 5 + 1234, 4);
    const auto expected = embed(weights, {.kind = EmbeddingKind::projected, .hop = 0.9}, recording);
    REQUIRE(expected.size() > 8);
    for (const int threads : {1, 2, 5})
        for (const std::size_t block : {777u, 100000u})
            CHECK(embed(weights, {.kind = EmbeddingKind::projected, .hop = 0.9, .threads = threads},
                        recording, block) == expected);
}

TEST_CASE("a short clip is filled up as the published model does", "[unit]") {
    for (const auto& model : {microsoft, laion, test::smallModel()}) {
        const auto weights = load(model);
        const auto window = static_cast<std::size_t>(detection::publishedClip(*weights).samples);
        const bool isLaion = model.embeddingDim == 512;
        for (const std::size_t heard : {window - 1, window / 2, window / 3 + 7, std::size_t{1}}) {
            CAPTURE(model.prefix, heard);
            const auto clip = test::noise(heard, 5);
            std::vector<float> filled(window);
            const std::size_t end = isLaion ? window / heard * heard : window;
            for (std::size_t i = 0; i < end; ++i) filled[i] = clip[i % heard];
            const auto rows = embed(weights, {.kind = detection::usualEmbedding(*weights)}, clip);
            REQUIRE(rows.size() == 1);
            CHECK(rows.front().values == embedClip(weights, filled));
            CHECK(rows.front().end == static_cast<double>(heard) / weights->config().sampleRate);
        }
        CHECK(embed(weights, {}, {}).empty());
    }
}

TEST_CASE("an embedder starts anew after a reset", "[unit][threads]") {
    const auto weights = load(microsoft);
    const auto recording = test::noise(200000, 6);
    detection::Embedder embedder(weights, {.kind = EmbeddingKind::projected, .threads = 2});
    std::vector<Row> rows;
    embedder.setReceiver([&](const detection::WindowEmbedding& window) {
        rows.push_back({window.start, window.end, {window.values.begin(), window.values.end()}});
    });
    embedder.push(test::noise(170001, 7));
    embedder.reset();
    rows.clear();
    embedder.push(recording);
    embedder.finish();
    CHECK(rows == embed(weights, {.kind = EmbeddingKind::projected}, recording));
}

TEST_CASE("samples that are not numbers are silence to an embedder", "[unit]") {
    const auto weights = load(test::smallModel());
    auto damaged = test::noise(50000, 8), silenced = damaged;
    for (const std::size_t i : {0u, 777u, 49999u}) {
        damaged[i] = i % 2 == 0 ? NAN : INFINITY;
        silenced[i] = 0.0f;
    }
    CHECK(embed(weights, {}, damaged) == embed(weights, {}, silenced));
}

TEST_CASE("a recording's vector is the mean over what was heard", "[unit]") {
    detection::MeanEmbedding mean;
    CHECK(mean.mean(true).empty());
    const std::vector<float> first = {1.0f, 0.0f}, second = {0.0f, 1.0f};
    mean.add({.start = 0.0, .end = 3.0, .values = first});
    mean.add({.start = 3.0, .end = 4.0, .values = second});
    CHECK(test::maxDifference(mean.mean(false), std::vector<float>{0.75f, 0.25f}) <= 1e-6);
    const auto unit = mean.mean(true);
    CHECK(std::abs(std::hypot(unit[0], unit[1]) - 1.0) <= 1e-6);
    CHECK(std::abs(unit[0] / unit[1] - 3.0) <= 1e-5);
}

TEST_CASE("only CLAP models have projected embeddings", "[unit]") {
    auto bare = microsoft;
    bare.embeddingDim = 0;
    const detection::EmbeddingSettings projected{.kind = EmbeddingKind::projected};
    CHECK_THROWS_WITH(detection::Embedder(load(test::smallModel()), projected),
                      ContainsSubstring("no CLAP model"));
    CHECK_THROWS_WITH(detection::Embedder(load(bare), projected), ContainsSubstring("no projection"));
    CHECK(detection::usualEmbedding(*load(bare)) == EmbeddingKind::latent);
    CHECK(detection::usualEmbedding(*load(laion)) == EmbeddingKind::projected);
    CHECK(detection::Embedder(load(laion), projected).dimensions() == 512);
    CHECK(detection::Embedder(load(laion), {}).dimensions() == laion.config.latentDim());
    CHECK(detection::hasUnitLength(*load(laion), EmbeddingKind::projected));
    CHECK_FALSE(detection::hasUnitLength(*load(laion), EmbeddingKind::latent));
    CHECK_FALSE(detection::hasUnitLength(*load(microsoft), EmbeddingKind::projected));
}

TEST_CASE("a matrix made for another rate hears other frequencies", "[unit]") {
    const auto plain = detection::heardRange(*load(test::smallModel()));
    CHECK(plain.lowest == 50.0);
    CHECK(plain.highest == 14000.0);
    const auto shifted = detection::heardRange(*load(microsoft));
    CHECK(std::abs(shifted.lowest - 50.0 * 44100 / 32000) <= 1e-9);
    CHECK(std::abs(shifted.highest - 14000.0 * 44100 / 32000) <= 1e-9);
    const auto settings = detection::logMelSettings(*load(microsoft)); // which pictures are drawn with
    CHECK(settings.lowHz == shifted.lowest);
    CHECK(settings.highHz == shifted.highest);
}

TEST_CASE("embeddings of the published clips agree with the reference", "[golden][slow][no-tsan]") {
    const auto clap = model::Checkpoint::open(test::goldenDirectory() / "clap_outputs.safetensors");
    const auto check = [](const test::ProceduralModel& model, EmbeddingKind kind, const std::string& clip,
                          const tensor::Tensor& expected) {
        CAPTURE(clip);
        const auto rows = embed(load(model), {.kind = kind}, test::loadClip(clip));
        REQUIRE(rows.size() == 1);
        CHECK(test::maxDifference(rows.front().values, expected.values()) <= 1e-4);
    };
    const auto fullMicrosoft = test::asMicrosoftClap(test::fullModel());
    check(fullMicrosoft, EmbeddingKind::projected, "input_7s_44100.flac", clap->read("msclap_7s.embedding"));
    check(fullMicrosoft, EmbeddingKind::latent, "input_7s_44100.flac", clap->read("msclap_7s.latent_output"));
    check(test::asLaionClap(test::fullModel()), EmbeddingKind::projected, "input_10s_48000.flac",
          clap->read("laion_10s.embedding"));
    const auto plain = model::Checkpoint::open(test::goldenDirectory() / "outputs.safetensors");
    check(test::tinyModel(), EmbeddingKind::latent, "input_10s.flac", plain->read("fit_10s.latent_output"));
}
