#include "Core/Detection/Queries/Queries.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Queries/QueryTokenModel.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Detection/Windows/EmbeddingPass.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Tensor/Threads.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/Golden.h"
#include "Support/ProceduralWeights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace earshot;
using detection::Queries;
using detection::QueryScores;

namespace {

std::shared_ptr<const model::Weights> load(const test::ProceduralModel& model) {
    return std::make_shared<const model::Weights>(*test::proceduralCheckpoint(model));
}

std::vector<std::string> names(int count) {
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) all.push_back("sound " + std::to_string(i));
    return all;
}

std::vector<float> scores(const Queries& queries, std::span<const float> vector, QueryScores how,
                          float scale = 10.0f) {
    std::vector<float> result(queries.names.size());
    detection::scoreQueries(queries, vector, how, scale, result);
    return result;
}

// What the model makes of so many stretches of different noise, each of one window as queries have it.
struct Scene {
    explicit Scene(const test::ProceduralModel& model, int stretches)
        : weights(load(model)) {
        const auto dimensions = detection::embeddingDimensions(*weights, detection::EmbeddingKind::projected);
        const Queries any{
            {"any"}, 0, dimensions, std::vector<float>(static_cast<std::size_t>(dimensions), 1.0f)};
        shape = detection::queryShape(*weights, any);
        const int hop = weights->config().hopSize;
        tensor::setThreadCount(1);
        detection::EmbeddingPass pass(weights, detection::EmbeddingKind::projected);
        std::vector<float> vectors;
        const auto length = static_cast<std::size_t>(shape.windowFrames * hop);
        for (int i = 0; i < stretches; ++i) {
            // Each is loud in another part of the spectrum.
            auto sound = test::sine(200.0 * std::pow(3.0, i),
                                    static_cast<double>(length) / weights->config().sampleRate + 0.01,
                                    weights->config().sampleRate);
            sound.resize(length);
            recording.insert(recording.end(), sound.begin(), sound.end());
        }
        const auto logMel = frontend::logMelSpectrogram(detection::logMelSettings(*weights), recording);
        const auto values = static_cast<std::size_t>(shape.windowFrames * weights->config().melBands);
        for (int i = 0; i < stretches; ++i) {
            const auto vector =
                pass.run(std::span(logMel).subspan(static_cast<std::size_t>(i) * values, values));
            vectors.insert(vectors.end(), vector.begin(), vector.end());
        }
        queries = std::make_shared<const Queries>(Queries::make(names(stretches), vectors, dimensions, "q"));
    }

    std::vector<float> columns(QueryScores how, int hopTokens, int threads) const {
        detection::Analyzer analyzer(
            detection::makeQueryTokenModel(weights, queries, how), detection::logMelSettings(*weights),
            {.mode = detection::Mode::crop, .hopTokens = hopTokens, .threads = threads});
        analyzer.push(recording);
        analyzer.finish();
        std::vector<float> all;
        for (std::int64_t i = 0; i < analyzer.timeline().columns(); ++i) {
            const auto column = analyzer.timeline().column(i);
            all.insert(all.end(), column.begin(), column.end());
        }
        return all;
    }

    std::shared_ptr<const model::Weights> weights;
    detection::PassShape shape;
    std::vector<float> recording;
    std::shared_ptr<const Queries> queries;
};

} // namespace

TEST_CASE("queries lose their length and keep their direction", "[unit]") {
    const auto queries = Queries::make(names(2), {3.0f, 4.0f, -0.001f, 0.0f}, 2, "q.npy");
    CHECK(test::maxDifference(queries.vectors, std::vector<float>{0.6f, 0.8f, -1.0f, 0.0f}) <= 1e-6);
}

TEST_CASE("queries that make no sense are one-line errors", "[unit]") {
    const auto expectError = [](std::vector<std::string> given, std::vector<float> vectors, int dimensions,
                                const std::string& message) {
        CHECK_THROWS_WITH(Queries::make(std::move(given), std::move(vectors), dimensions, "q.npy"),
                          ContainsSubstring("q.npy") && ContainsSubstring(message) &&
                              !ContainsSubstring("\n"));
    };
    expectError({}, {}, 3, "no queries");
    expectError(names(3), {1, 2, 3, 4}, 2, "2 queries, but 3 names");
    expectError(names(1), {1, 2, 3, 4}, 2, "2 queries, but 1 names");
    expectError(names(2), {1, 2, 0, 0}, 2, "\"sound 1\" is zero");
    expectError(names(2), {1, NAN, 1, 1}, 2, "\"sound 0\" holds values that are not numbers");
    expectError(names(2), {1, 1, -INFINITY, 1}, 2, "\"sound 1\" holds values that are not numbers");
    expectError({"dog", "dog"}, {1, 2, 3, 4}, 2, "two queries are called \"dog\"");
    expectError(names(detection::mostQueries + 1),
                std::vector<float>(static_cast<std::size_t>(detection::mostQueries) + 1, 1.0f), 1,
                "4097 queries");
}

TEST_CASE("names are read line by line, or from a CSV", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto read = [&](const std::string& file, const std::string& text) {
        test::writeBytes(directory / file, text);
        return detection::readQueryNames(directory / file, 2);
    };
    const std::vector<std::string> expected = {"a dog barks", "wind, strong"};
    CHECK(read("n.txt", "a dog barks\nwind, strong") == expected);
    CHECK(read("n.txt", "\xEF\xBB\xBF"
                        "a dog barks\r\nwind, strong\r\n\r\n") == expected);
    CHECK(read("n.csv", "label\na dog barks\n\"wind, strong\"\n") == expected);
    CHECK(read("n.txt", "").empty());
    CHECK(read("n.txt", "bell\x1b[31m\n").front() == "bell?[31m");
    CHECK_THROWS_WITH(read("n.txt", "a\n\nb\n"), ContainsSubstring("line 2 is empty"));
    CHECK_THROWS_WITH(detection::readQueryNames(directory / "none.txt", 2),
                      ContainsSubstring("no such file"));
    REQUIRE_THROWS_WITH(detection::readQueryNames("/dev/zero", 2), ContainsSubstring("is a device"));
    CHECK_THROWS_WITH(read("n.csv", "label\na\n"), ContainsSubstring("n.csv"));
}

TEST_CASE("scores follow the cosine, whatever the lengths", "[unit]") {
    const auto queries = Queries::make(names(3), {1, 0, 0, 1, -1, 0}, 2, "q");
    const std::vector<float> vector = {3.0f, 4.0f};
    CHECK(test::maxDifference(scores(queries, vector, QueryScores::cosine),
                              std::vector<float>{0.6f, 0.8f, 0.0f}) <= 1e-6);
    const auto softmax = scores(queries, vector, QueryScores::softmax, 5.0f);
    const std::vector<double> powers = {std::exp(3.0), std::exp(4.0), std::exp(-3.0)};
    const double sum = std::accumulate(powers.begin(), powers.end(), 0.0);
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(softmax[i] - powers[i] / sum) <= 1e-6);
    // Neither a silent vector nor the steepest scale gives anything but probabilities.
    const std::vector<float> none = {0.0f, 0.0f};
    for (const float p : scores(queries, none, QueryScores::softmax)) CHECK(std::abs(p - 1.0f / 3) <= 1e-6f);
    const auto steep = scores(queries, vector, QueryScores::softmax, 22026.0f);
    CHECK(steep == std::vector<float>{0.0f, 1.0f, 0.0f});
}

TEST_CASE("a window is most like the query that was made of it", "[unit]") {
    for (const auto& model :
         {test::asMicrosoftClap(test::smallModel()), test::asLaionClap(test::smallModel())}) {
        const Scene scene(model, 3);
        const auto tokens = static_cast<std::size_t>(scene.shape.tokens());
        for (const auto how : {QueryScores::softmax, QueryScores::cosine}) {
            const auto columns = scene.columns(how, scene.shape.tokens(), 1);
            REQUIRE(columns.size() == 3 * tokens * 3);
            for (std::size_t window = 0; window < 3; ++window)
                for (std::size_t token = 0; token < tokens; ++token) {
                    const auto column = std::span(columns).subspan((window * tokens + token) * 3, 3);
                    const auto best = std::ranges::max_element(column) - column.begin();
                    CHECK(best == static_cast<std::ptrdiff_t>(window));
                    if (how == QueryScores::cosine) CHECK(std::abs(column[window] - 1.0f) <= 1e-4f);
                    if (how == QueryScores::softmax)
                        CHECK(std::abs(std::accumulate(column.begin(), column.end(), 0.0) - 1.0) <= 1e-5);
                }
        }
    }
}

TEST_CASE("queries are heard alike on any number of threads", "[unit]") {
    const Scene scene(test::asMicrosoftClap(test::smallModel()), 4);
    const auto expected = scene.columns(QueryScores::softmax, 3, 1);
    CHECK(scene.columns(QueryScores::softmax, 3, 2) == expected);
    CHECK(scene.columns(QueryScores::softmax, 3, 5) == expected);
}

TEST_CASE("the checkpoint's scale decides how sure a softmax is", "[unit]") {
    auto model = test::asLaionClap(test::smallModel());
    const auto surest = [&] {
        const auto columns = Scene(model, 2).columns(QueryScores::softmax, 32, 1);
        return *std::ranges::max_element(columns);
    };
    model.logScale = 0.0f;
    const float flat = surest();
    model.logScale = 4.6f;
    CHECK(surest() > flat);
}

TEST_CASE("queries of another model's size are refused with both sizes", "[unit]") {
    const auto queries = std::make_shared<const Queries>(Queries::make(names(2), {1, 2, 3, 4}, 2, "q"));
    CHECK_THROWS_WITH(detection::makeQueryTokenModel(load(test::asLaionClap(test::smallModel())), queries,
                                                     QueryScores::softmax),
                      ContainsSubstring("512") && ContainsSubstring("2 each"));
    CHECK_THROWS_WITH(detection::makeQueryTokenModel(load(test::smallModel()), queries, QueryScores::softmax),
                      ContainsSubstring("no CLAP model"));
}

TEST_CASE("windows of queries are the published clips in whole tokens", "[golden][slow]") {
    const auto check = [](const test::ProceduralModel& model, const std::string& clip, int frames) {
        CAPTURE(clip);
        const Scene scene(model, 1);
        CHECK(scene.shape.windowFrames == frames);
        CHECK(scene.shape.tokens() == 32);
        // What is missing of the clip's last frames and what is stretched more than it was changes little.
        detection::EmbeddingPass pass(scene.weights, detection::EmbeddingKind::projected);
        const auto logMel =
            frontend::logMelSpectrogram(detection::logMelSettings(*scene.weights), test::loadClip(clip));
        const auto whole = pass.run(logMel);
        const auto queries =
            Queries::make({"clip"}, {whole.begin(), whole.end()}, static_cast<int>(whole.size()), "q");
        const auto window = std::span(logMel).first(static_cast<std::size_t>(frames) * 64);
        CHECK(scores(queries, pass.run(window), QueryScores::cosine).front() >= 0.98f);
    };
    check(test::asMicrosoftClap(test::fullModel()), "input_7s_44100.flac", 960);
    check(test::asLaionClap(test::fullModel()), "input_10s_48000.flac", 992);
}

TEST_CASE("rivals take their share and are no classes", "[unit]") {
    const std::vector<float> vectors = {1, 0, 0, 1, -1, 0};
    const auto all = Queries::make(names(3), vectors, 2, "q");
    const auto rivals = Queries::make(names(1), vectors, 2, "q", 2);
    CHECK(rivals.count() == 1);
    const std::vector<float> vector = {0.6f, 0.8f};
    std::vector<float> three(3), one(1);
    scoreQueries(all, vector, QueryScores::softmax, 3.0f, three);
    scoreQueries(rivals, vector, QueryScores::softmax, 3.0f, one);
    CHECK(one[0] == three[0]);
    scoreQueries(rivals, vector, QueryScores::cosine, 3.0f, one);
    CHECK(one[0] == Approx(0.6f));
    CHECK_THROWS_WITH(Queries::make(names(3), vectors, 2, "q", 2), ContainsSubstring("holds 1 queries"));
    CHECK_THROWS_WITH(Queries::make({}, vectors, 2, "q", 3), ContainsSubstring("holds no queries"));
}
