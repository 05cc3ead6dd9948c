#include "Core/Detection/Queries/Queries.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Queries/QueryTokenModel.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Detection/Windows/EmbeddingPass.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Detection/Windows/ScoredTimeline.h"
#include "Core/Model/Network/Network.h"
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

std::vector<float> allColumns(const detection::Timeline& timeline) {
    std::vector<float> all;
    for (auto i = timeline.firstKept(); i < timeline.columns(); ++i) {
        const auto column = timeline.column(i);
        all.insert(all.end(), column.begin(), column.end());
    }
    return all;
}

// What the model makes of so many stretches of different noise, each of one window as queries have it.
struct Scene {
    explicit Scene(const test::ProceduralModel& model, int stretches)
        : weights(load(model)) {
        const auto dimensions = detection::embeddingDimensions(*weights, detection::EmbeddingKind::projected);
        shape = detection::queryShape(*weights);
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

    detection::Analyzer analyzer(const std::shared_ptr<const Queries>& heard,
                                 const detection::QueryListening& how, int hopTokens, int threads = 1) const {
        return {detection::makeQueryTokenModel(weights, heard, how),
                detection::logMelSettings(*weights),
                {.mode = detection::Mode::crop, .hopTokens = hopTokens, .threads = threads}};
    }

    std::vector<float> columns(const std::shared_ptr<const Queries>& heard,
                               const detection::QueryListening& how, int hopTokens, int threads = 1) const {
        auto whole = analyzer(heard, how, hopTokens, threads);
        whole.push(recording);
        whole.finish();
        return allColumns(whole.timeline());
    }
    std::vector<float> columns(QueryScores how, int hopTokens, int threads) const {
        return columns(queries, {.scores = how, .times = detection::QueryTimes::window}, hopTokens, threads);
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
    expectError(names(detection::maxQueries + 1),
                std::vector<float>(static_cast<std::size_t>(detection::maxQueries) + 1, 1.0f), 1,
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

TEST_CASE("queries are heard alike on any number of threads", "[unit][threads]") {
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
                                                     {.scores = QueryScores::softmax}),
                      ContainsSubstring("512") && ContainsSubstring("2 each"));
    CHECK_THROWS_WITH(
        detection::makeQueryTokenModel(load(test::smallModel()), queries, {.scores = QueryScores::softmax}),
        ContainsSubstring("no CLAP model"));
}

TEST_CASE("windows of queries are the published clips in whole tokens",
          "[golden][slow][no-emulator][no-asan]") {
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
    const auto negatives = Queries::make(names(1), vectors, 2, "q", 2);
    CHECK(negatives.count() == 1);
    const std::vector<float> vector = {0.6f, 0.8f};
    std::vector<float> three(3), one(1);
    scoreQueries(all, vector, QueryScores::softmax, 3.0f, three);
    scoreQueries(negatives, vector, QueryScores::softmax, 3.0f, one);
    CHECK(one[0] == three[0]);
    scoreQueries(negatives, vector, QueryScores::cosine, 3.0f, one);
    CHECK(one[0] == Approx(0.6f));
    CHECK_THROWS_WITH(Queries::make(names(3), vectors, 2, "q", 2), ContainsSubstring("holds 1 queries"));
    CHECK_THROWS_WITH(Queries::make({}, vectors, 2, "q", 3), ContainsSubstring("holds no queries"));
}

TEST_CASE("each query by itself is compared with the rivals alone", "[unit]") {
    const std::vector<float> vectors = {1, 0, 0, 1, 0.8f, 0.6f, -1, 0, 0.6f, -0.8f};
    const auto three = Queries::make(names(3), vectors, 2, "q", 2);
    const std::vector<float> vector = {0.6f, 0.8f};
    const std::vector<double> cosines = {0.6, 0.8, 0.96}, negatives = {-0.6, -0.28};
    const auto each = scores(three, vector, QueryScores::each, 3.0f);
    const auto deviations = scores(three, vector, QueryScores::zscore);
    const double others = std::exp(3.0 * negatives[0]) + std::exp(3.0 * negatives[1]);
    for (std::size_t i = 0; i < 3; ++i) {
        const double power = std::exp(3.0 * cosines[i]);
        CHECK(std::abs(each[i] - power / (power + others)) <= 1e-6);
        const double z = (cosines[i] + 0.44) / 0.16;
        CHECK(std::abs(deviations[i] - 0.5 * (1.0 + std::erf(z / std::sqrt(2.0)))) <= 1e-6);
    }
    // Another query changes nothing.
    const auto one = Queries::make(names(1), {1, 0, -1, 0, 0.6f, -0.8f}, 2, "q", 2);
    CHECK(scores(one, vector, QueryScores::each, 3.0f).front() == each.front());
    CHECK(scores(one, vector, QueryScores::zscore).front() == deviations.front());
    // As near as the rivals are is one half; rivals that are equal still leave a measure.
    const auto equal = Queries::make(names(2), {0, 1, 1, 0, 0, 1, 0, 1}, 2, "q", 2);
    const auto halves = scores(equal, vector, QueryScores::zscore);
    CHECK(halves[0] == Approx(0.5f));
    CHECK(halves[1] < 1e-20f);
    // The steepest scale gives probabilities, too.
    CHECK(scores(three, vector, QueryScores::each, 22026.0f) == std::vector<float>{1.0f, 1.0f, 1.0f});
    CHECK(scores(Queries::make(names(1), {-1, 0, 1, 0}, 2, "q", 1), vector, QueryScores::each, 22026.0f) ==
          std::vector<float>{0.0f});
}

TEST_CASE("the vectors of single tokens are the golden ones", "[golden][threads]") {
    for (const bool isMicrosoft : {true, false}) {
        CAPTURE(isMicrosoft);
        const auto weights = load(isMicrosoft ? test::asMicrosoftClap(test::tinyModel())
                                              : test::asLaionClap(test::tinyModel()));
        const auto clip = test::loadClip(isMicrosoft ? "input_7s_44100.flac" : "input_10s_48000.flac");
        const tensor::ThreadCountScope threads(1);
        model::Network network(weights);
        const auto latent =
            network.run(frontend::logMelSpectrogram(detection::logMelSettings(*weights), clip)).latent;
        std::vector<float> frames(32 * latent.size());
        network.frameTokens(frames);
        const std::string name = isMicrosoft ? "msclap.tiny." : "laion.tiny.";
        test::Golden golden("frame_outputs.safetensors");
        CHECK(golden.relativeDifference(name + "frame_tokens", frames) <= 1e-4);

        model::ClapProjection projection(weights);
        std::vector<float> vectors, mean(latent.size());
        for (std::size_t t = 0; t < 32; ++t) {
            const auto token = std::span<const float>(frames).subspan(t * latent.size(), latent.size());
            for (std::size_t c = 0; c < mean.size(); ++c) mean[c] += token[c] / 32.0f;
            const auto vector = projection.run(token);
            vectors.insert(vectors.end(), vector.begin(), vector.end());
        }
        CHECK(test::maxDifference(mean, latent) <= 1e-5);
        // LAION's are stored as they are before they get a length of 1.
        if (isMicrosoft) CHECK(golden.relativeDifference(name + "frame_embedding", vectors) <= 1e-4);
    }
}

TEST_CASE("a column's scores follow from its mean vectors, and kept vectors give other queries' scores",
          "[unit][no-asan][threads]") {
    for (const auto times : {detection::QueryTimes::window, detection::QueryTimes::token}) {
        const bool joins = GENERATE(false, true);
        CAPTURE(times == detection::QueryTimes::token, joins);
        const Scene scene(test::asLaionClap(test::smallModel()), 4);
        const detection::QueryListening how{.scores = QueryScores::each, .times = times, .joins = joins};
        const auto& vectors = scene.queries->vectors;
        const auto make = [&](int count, int negatives) {
            const auto end = vectors.begin() + std::ptrdiff_t{count + negatives} * scene.queries->dimensions;
            return std::make_shared<const Queries>(Queries::make(names(count), {vectors.begin(), end},
                                                                 scene.queries->dimensions, "q", negatives));
        };
        const auto before = make(1, 1), after = make(3, 1);
        const auto scorer = detection::makeQueryScorer(*scene.weights, after, how);
        const auto expected = scene.columns(after, how, 3);

        // Half of the recording is heard with one query, the rest with three.
        const int threads = GENERATE(1, 2);
        auto analyzer = scene.analyzer(before, how, 3, threads);
        const auto half = scene.recording.size() / 2;
        analyzer.push(std::span(scene.recording).first(half));
        if (threads == 1) REQUIRE(analyzer.timeline().columns() > 8); // else the first windows still run
        CHECK(analyzer.timeline().classes() == scorer->classes() - 2);
        CHECK(analyzer.timeline().columns() == analyzer.vectors()->columns());
        CHECK(analyzer.timeline().settled() == analyzer.vectors()->settled());
        detection::Timeline kept(analyzer.vectors()->classes(), analyzer.vectors()->secondsPerColumn());
        analyzer.vectors()->continueIn(kept);
        analyzer.score(scorer, kept);
        analyzer.push(std::span(scene.recording).subspan(half));
        analyzer.finish();
        CHECK(analyzer.timeline().duration() == analyzer.vectors()->duration());
        CHECK(allColumns(analyzer.timeline()) == expected);

        // What is kept as float16 gives the same again, from wherever it is kept.
        analyzer.vectors()->continueIn(kept);
        kept.round(kept.settled());
        detection::ScoredTimeline again(scorer, kept.secondsPerColumn());
        again.follow(kept);
        CHECK(allColumns(again.timeline()) == expected);
        CHECK(std::ranges::all_of(expected, [](float p) { return p >= 0.0f && p <= 1.0f; }));
    }
}

TEST_CASE("vectors of which the oldest are forgotten are scored from there on", "[unit]") {
    class Identity : public detection::ColumnScorer {
      public:
        int values() const override { return 1; }
        int classes() const override { return 1; }
        void score(std::span<const float> values, std::span<float> probabilities) const override {
            probabilities[0] = values[0];
        }
    };
    detection::Timeline vectors(1, 0.25);
    for (int i = 1; i <= 1000; ++i) vectors.add(i - 1, std::vector<float>{static_cast<float>(i) / 1024.0f});
    vectors.settle(990);
    vectors.setProvisional(1000, std::vector<float>{0.5f});
    vectors.forget(600);
    detection::ScoredTimeline scored(std::make_shared<Identity>(), 0.25);
    scored.follow(vectors);
    REQUIRE(scored.timeline().firstKept() == 512);
    CHECK(scored.timeline().columns() == 1001);
    CHECK(scored.timeline().settled() == 990);
    CHECK(scored.timeline().column(512).front() == 513.0f / 1024.0f);
    CHECK(!scored.timeline().provisional(995));
    CHECK(scored.timeline().provisional(1000));
    // What is not settled is scored anew; where no window was heard there is nothing.
    vectors.add(995, std::vector<float>{0.0f});
    vectors.add(1004, std::vector<float>{0.25f});
    scored.follow(vectors);
    CHECK(scored.timeline().column(995).front() == 996.0f / 2048.0f);
    CHECK(scored.timeline().column(1003).front() == 0.0f);
    CHECK(scored.timeline().column(1004).front() == 0.25f);
    vectors.finish(251.0);
    scored.follow(vectors);
    CHECK(scored.timeline().settled() == 1005);
    CHECK(scored.timeline().duration() == 251.0);
}

TEST_CASE("with tokens' own times a query is never surer than for the window", "[unit]") {
    const Scene scene(test::asMicrosoftClap(test::smallModel()), 3);
    const auto byWindow = scene.columns(scene.queries, {.times = detection::QueryTimes::window}, 4);
    const auto byToken = scene.columns(scene.queries, {.times = detection::QueryTimes::token}, 4);
    REQUIRE(byToken.size() == byWindow.size());
    CHECK(byToken != byWindow);
    for (std::size_t i = 0; i < byToken.size(); ++i) CHECK(byToken[i] <= byWindow[i]);
}

TEST_CASE("queries beside the model's classes leave them as its tokens are", "[unit][threads]") {
    const Scene scene(test::asLaionClap(test::smallModel()), 2);
    const auto classes = static_cast<std::size_t>(scene.weights->config().classes);
    const auto joined = scene.columns(scene.queries, {.joins = true}, scene.shape.tokens());
    const auto alone = scene.columns(scene.queries, {}, scene.shape.tokens());
    const tensor::ThreadCountScope threads(1);
    model::Network network(scene.weights);
    const auto logMel =
        frontend::logMelSpectrogram(detection::logMelSettings(*scene.weights), scene.recording);
    const auto tokens =
        network
            .run(std::span(logMel).first(static_cast<std::size_t>(scene.shape.windowFrames) *
                                         static_cast<std::size_t>(scene.weights->config().melBands)))
            .tokens;
    for (std::size_t t = 0; t < static_cast<std::size_t>(scene.shape.tokens()); ++t) {
        const auto column = std::span(joined).subspan(t * (classes + 2), classes + 2);
        CHECK(test::maxDifference(column.first(classes), tokens.subspan(t * classes, classes)) <= 0.0003);
        CHECK(std::ranges::equal(column.subspan(classes), std::span(alone).subspan(2 * t, 2)));
    }
}

TEST_CASE("a model whose vectors are no numbers is an error", "[unit]") {
    class Broken : public detection::TokenModel {
      public:
        explicit Broken(float value)
            : value_(value) {}
        int melBands() const override { return 64; }
        int windowFrames() const override { return 1024; }
        int framesPerToken() const override { return 32; }
        int classes() const override { return 1; }
        int values() const override { return 2; }
        std::shared_ptr<const detection::ColumnScorer> scorer() const override {
            class First : public detection::ColumnScorer {
              public:
                int values() const override { return 2; }
                int classes() const override { return 1; }
                void score(std::span<const float>, std::span<float> probabilities) const override {
                    probabilities[0] = 0.5f;
                }
            };
            return std::make_shared<First>();
        }
        void run(std::span<const float>, std::span<float> tokens) override {
            std::ranges::fill(tokens, value_);
        }

      private:
        float value_;
    };
    for (const float value : {NAN, INFINITY, -1e6f}) {
        detection::Analyzer analyzer(std::make_unique<Broken>(value), {}, {.mode = detection::Mode::crop});
        CHECK_THROWS_WITH(analyzer.push(test::noise(32000 * 11, 1)), ContainsSubstring("no vectors"));
    }
    detection::Analyzer analyzer(std::make_unique<Broken>(-2.0f), {}, {.mode = detection::Mode::crop});
    CHECK_NOTHROW(analyzer.push(test::noise(32000 * 11, 1)));
}
