#include "Library/Client.h"

#include "Cli/NamedModel.h"
#include "Support/Environment.h"
#include "Support/ProceduralWeights.h"

#include <array>
#include <functional>
#include <limits>
#include <utility>

using namespace earshot;

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Counts calls that must fail, each with a message, without a crash.
class Wrong {
  public:
    void expect(earshot_status wanted, earshot_status status, const char* call) {
        INFO(call << ": " << earshot_last_error());
        CHECK(status == wanted);
        CHECK(std::string(earshot_last_error()).size() > 10);
        ++count_;
    }
    void invalid(earshot_status status, const char* call) { expect(EARSHOT_INVALID_ARGUMENT, status, call); }
    int count() const { return count_; }

  private:
    int count_ = 0;
};
#define INVALID(call) wrong.invalid(call, #call)

struct Fixture {
    Fixture() {
        model = test::openModel(test::writeNamedModel(folder / "small.safetensors", {"Dog", "Cat"}));
        clip.samples = test::noise(3200, 1);
    }
    test::TemporaryDirectory folder;
    test::Model model;
    test::Clip clip;
    Wrong wrong;
};

} // namespace

TEST_CASE("wrong calls about models give errors", "[unit]") {
    Fixture fixture;
    auto& wrong = fixture.wrong;
    auto* const model = fixture.model.get();
    earshot_model* made = model;
    INVALID(earshot_model_open(nullptr, nullptr, nullptr));
    for (const char* path : {"", "/nowhere/model.safetensors", "/", "\xff\xfe"}) {
        made = model;
        wrong.expect(EARSHOT_FILE_ERROR, earshot_model_open(path, nullptr, &made), path);
        CHECK(made == nullptr);
    }
    test::writeBytes(fixture.folder / "bad.safetensors", "no model");
    wrong.expect(EARSHOT_FILE_ERROR,
                 earshot_model_open((fixture.folder / "bad.safetensors").string().c_str(), nullptr, &made),
                 "damaged");
    {
        const test::EnvironmentScope lost("EARSHOT_MODEL", "/nowhere.safetensors");
        wrong.expect(EARSHOT_FILE_ERROR, earshot_model_open(nullptr, nullptr, &made), "EARSHOT_MODEL");
    }
    const auto file = test::defaultModelFile().string();
    for (const auto& [threads, precision] : {std::pair{-1, 0}, {1 << 20, 0}, {1, -1}, {1, 4}, {1, 1 << 30}}) {
        earshot_model_options options = EARSHOT_MODEL_OPTIONS_INIT;
        options.threads = threads;
        options.precision = precision;
        INVALID(earshot_model_open(file.c_str(), &options, &made));
    }
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, ~std::size_t{0}}) {
        earshot_model_options options = EARSHOT_MODEL_OPTIONS_INIT;
        options.size = size;
        INVALID(earshot_model_open(file.c_str(), &options, &made));
    }

    const std::array<const char*, 3> texts = {"a dog", nullptr, ""};
    INVALID(earshot_model_with_texts(nullptr, texts.data(), 1, &made));
    INVALID(earshot_model_with_texts(model, nullptr, 1, &made));
    INVALID(earshot_model_with_texts(model, texts.data(), 0, &made));
    INVALID(earshot_model_with_texts(model, texts.data(), 1, nullptr));
    INVALID(earshot_model_with_texts(model, texts.data(), 2, &made));
    INVALID(earshot_model_with_texts(model, texts.data() + 2, 1, &made));
    INVALID(earshot_model_with_texts(model, texts.data(), ~std::size_t{0}, &made));
    wrong.expect(EARSHOT_UNSUPPORTED, earshot_model_with_texts(model, texts.data(), 1, &made), "no texts");
    CHECK(made == nullptr);

    CHECK(earshot_model_class_count(nullptr) == 0);
    for (const std::int32_t index :
         {-1, 2, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()}) {
        CHECK(earshot_model_label(model, index) == nullptr);
        CHECK(std::isnan(earshot_model_threshold(model, index)));
    }
    CHECK(earshot_model_label(nullptr, 0) == nullptr);
    CHECK(std::isnan(earshot_model_threshold(nullptr, 0)));
    CHECK(earshot_model_find_class(nullptr, "Dog") == -1);
    CHECK(earshot_model_find_class(model, nullptr) == -1);
    CHECK(earshot_model_find_class(model, "Wolf") == -1);
    CHECK(earshot_model_find_class(model, "Dog") == 0);
    CHECK(earshot_model_step(nullptr) == 0.0);
    CHECK(earshot_model_rate(nullptr) == 0.0);
    CHECK(earshot_model_embedding_size(nullptr) == 0);
    CHECK(earshot_model_property(nullptr, "file") == nullptr);
    CHECK(earshot_model_property(model, nullptr) == nullptr);
    CHECK(earshot_model_property(model, "colour") == nullptr);
    CHECK(std::string(earshot_model_property(model, "texts")).empty());
    earshot_model_close(nullptr);
    CHECK(wrong.count() >= 20);
}

TEST_CASE("wrong calls about recordings give errors", "[unit]") {
    Fixture fixture;
    auto& wrong = fixture.wrong;
    auto* const model = fixture.model.get();
    const auto file = test::demoFile().string();
    earshot_result* result = nullptr;
    INVALID(earshot_analyze_file(nullptr, file.c_str(), nullptr, &result));
    INVALID(earshot_analyze_file(model, nullptr, nullptr, &result));
    INVALID(earshot_analyze_file(model, "", nullptr, &result));
    INVALID(earshot_analyze_file(model, file.c_str(), nullptr, nullptr));
    for (const char* path : {"/nowhere.wav", "/", "/dev/null", "-"})
        wrong.expect(EARSHOT_FILE_ERROR, earshot_analyze_file(model, path, nullptr, &result), path);

    const auto good = fixture.clip.audio();
    INVALID(earshot_analyze_samples(nullptr, &good, nullptr, &result));
    INVALID(earshot_analyze_samples(model, nullptr, nullptr, &result));
    INVALID(earshot_analyze_samples(model, &good, nullptr, nullptr));
    const std::array<const float*, 2> planes = {fixture.clip.samples.data(), nullptr};
    const std::vector<std::function<void(earshot_audio&)>> spoils = {
        [](auto& audio) { audio.size = 0; },
        [](auto& audio) { audio.size = std::size_t{1} << 40; },
        [](auto& audio) { audio.interleaved = nullptr; },
        [&](auto& audio) { audio.planes = planes.data(); },
        [&](auto& audio) {
            audio.interleaved = nullptr;
            audio.planes = planes.data();
            audio.channels = 2;
        },
        [](auto& audio) { audio.frames = 0; },
        [](auto& audio) { audio.frames = ~std::size_t{0}; },
        [](auto& audio) { audio.frames = ~std::size_t{0} / 8; },
        [](auto& audio) { audio.rate = 0.0; },
        [](auto& audio) { audio.rate = -44100.0; },
        [](auto& audio) { audio.rate = notANumber; },
        [](auto& audio) { audio.rate = infinity; },
        [](auto& audio) { audio.rate = 1e9; },
        [](auto& audio) { audio.channels = 0; },
        [](auto& audio) { audio.channels = -1; },
        [](auto& audio) { audio.channels = std::numeric_limits<std::int32_t>::max(); },
    };
    for (const auto& spoil : spoils) {
        auto audio = good;
        spoil(audio);
        INVALID(earshot_analyze_samples(model, &audio, nullptr, &result));
        std::array<float, 4096> vector{};
        INVALID(earshot_embed_samples(model, &audio, nullptr, vector.data(), vector.size()));
    }
    std::array<float, 4096> vector{};
    INVALID(earshot_embed_file(nullptr, file.c_str(), nullptr, vector.data(), vector.size()));
    INVALID(earshot_embed_file(model, nullptr, nullptr, vector.data(), vector.size()));
    INVALID(earshot_embed_file(model, file.c_str(), nullptr, nullptr, vector.size()));
    INVALID(earshot_embed_file(model, file.c_str(), nullptr, vector.data(), 1));
    INVALID(earshot_embed_samples(model, &good, nullptr, vector.data(), 0));
    earshot_analysis each = EARSHOT_ANALYSIS_INIT;
    each.channel = EARSHOT_CHANNEL_EACH;
    INVALID(earshot_embed_samples(model, &good, &each, vector.data(), vector.size()));
    INVALID(earshot_embed_file(model, file.c_str(), &each, vector.data(), vector.size()));

    std::size_t count = 7;
    CHECK(earshot_result_events(nullptr, &count) == nullptr);
    CHECK(count == 0);
    CHECK(earshot_result_events(nullptr, nullptr) == nullptr);
    CHECK(earshot_result_duration(nullptr) == 0.0);
    CHECK(earshot_result_column_count(nullptr) == 0);
    CHECK(earshot_result_activations(nullptr) == nullptr);
    CHECK(std::string(earshot_result_remarks(nullptr)).empty());
    INVALID(earshot_result_copy_activations(nullptr, vector.data(), vector.size()));
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.keep_activations = 1;
    const auto kept = test::analyzeSamples(fixture.model, good, analysis);
    INVALID(earshot_result_copy_activations(kept.get(), nullptr, 100));
    INVALID(earshot_result_copy_activations(kept.get(), vector.data(), 1));
    CHECK(earshot_result_events(kept.get(), nullptr) == nullptr);
    earshot_result_free(nullptr);
    CHECK(wrong.count() >= 50);
}

TEST_CASE("rules and choices that make no sense give errors", "[unit]") {
    Fixture fixture;
    auto& wrong = fixture.wrong;
    auto* const model = fixture.model.get();
    const auto audio = fixture.clip.audio();
    earshot_result* result = nullptr;
    const std::array<float, 2> high = {0.5f, 1.5f};
    const std::vector<std::function<void(earshot_rules&)>> spoils = {
        [](auto& rules) { rules.size = 1; },
        [](auto& rules) { rules.threshold = 1.5; },
        [](auto& rules) { rules.threshold = -0.1; },
        [](auto& rules) { rules.threshold = infinity; },
        [](auto& rules) { rules.release = 2.0; },
        [](auto& rules) {
            rules.threshold = 0.3;
            rules.release = 0.4;
        },
        [](auto& rules) { rules.min_duration = notANumber; },
        [](auto& rules) { rules.min_duration = -1.0; },
        [](auto& rules) { rules.merge_gap = notANumber; },
        [](auto& rules) { rules.merge_gap = 1e9; },
        [](auto& rules) { rules.median = 0; },
        [](auto& rules) { rules.median = 2; },
        [](auto& rules) { rules.median = -1; },
        [](auto& rules) { rules.median = 101; },
        [&](auto& rules) { rules.class_thresholds = high.data(); },
        [](auto& rules) {
            rules.by_confidence = 1;
            rules.threshold = 0.5;
        },
    };
    for (const auto& spoil : spoils) {
        earshot_rules rules = EARSHOT_RULES_INIT;
        spoil(rules);
        earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
        analysis.rules = &rules;
        INVALID(earshot_analyze_samples(model, &audio, &analysis, &result));
    }
    earshot_rules confident = EARSHOT_RULES_INIT;
    confident.by_confidence = 1;
    earshot_analysis unsupported = EARSHOT_ANALYSIS_INIT;
    unsupported.rules = &confident;
    wrong.expect(EARSHOT_UNSUPPORTED, earshot_analyze_samples(model, &audio, &unsupported, &result),
                 "no confidences");
    const std::vector<std::function<void(earshot_analysis&)>> choices = {
        [](auto& analysis) { analysis.size = 0; },
        [](auto& analysis) { analysis.hop = notANumber; },
        [](auto& analysis) { analysis.hop = -1.0; },
        [](auto& analysis) { analysis.hop = infinity; },
        [](auto& analysis) { analysis.hop = 1e6; },
        [](auto& analysis) { analysis.mode = 3; },
        [](auto& analysis) { analysis.mode = -1; },
        [](auto& analysis) { analysis.channel = -2; },
        [](auto& analysis) { analysis.channel = 2; },
        [](auto& analysis) { analysis.channel = 1 << 30; },
        [](auto& analysis) {
            analysis.channel = EARSHOT_CHANNEL_EACH;
            analysis.keep_activations = 1;
        },
    };
    for (const auto& spoil : choices) {
        earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
        spoil(analysis);
        INVALID(earshot_analyze_samples(model, &audio, &analysis, &result));
        earshot_stream* stream = nullptr;
        INVALID(earshot_stream_open(model, 32000.0, 1, &analysis, &stream));
    }
    CHECK(result == nullptr);
    CHECK(wrong.count() >= 35);
}

TEST_CASE("wrong calls about streams give errors", "[unit]") {
    Fixture fixture;
    auto& wrong = fixture.wrong;
    auto* const model = fixture.model.get();
    earshot_stream* stream = nullptr;
    INVALID(earshot_stream_open(nullptr, 32000.0, 1, nullptr, &stream));
    INVALID(earshot_stream_open(model, 32000.0, 1, nullptr, nullptr));
    for (const double rate : {0.0, -1.0, 999.0, 1e7, notANumber, infinity})
        INVALID(earshot_stream_open(model, rate, 1, nullptr, &stream));
    for (const int channels : {0, -1, 1025})
        INVALID(earshot_stream_open(model, 8000.0, channels, nullptr, &stream));
    earshot_analysis each = EARSHOT_ANALYSIS_INIT;
    each.channel = EARSHOT_CHANNEL_EACH;
    INVALID(earshot_stream_open(model, 8000.0, 2, &each, &stream));
    CHECK(stream == nullptr);

    const float sample = 0.0f;
    earshot_event event;
    earshot_change change;
    std::size_t count = 9;
    INVALID(earshot_stream_push(nullptr, &sample, 1));
    INVALID(earshot_stream_push_planar(nullptr, nullptr, 1));
    INVALID(earshot_stream_finish(nullptr));
    INVALID(earshot_stream_poll_events(nullptr, &event, 1, &count));
    CHECK(count == 0);
    INVALID(earshot_stream_poll_changes(nullptr, &change, 1, &count));
    INVALID(earshot_stream_poll_activations(nullptr, nullptr, 1, &count, nullptr));
    CHECK(earshot_stream_position(nullptr) == 0);
    earshot_stream_close(nullptr);

    REQUIRE(earshot_stream_open(model, 32000.0, 2, nullptr, &stream) == EARSHOT_OK);
    const test::Stream owner(stream);
    CHECK(std::string(earshot_last_error()).empty()); // of the success
    const std::array<const float*, 2> half = {&sample, nullptr};
    INVALID(earshot_stream_push(stream, nullptr, 1));
    INVALID(earshot_stream_push(stream, &sample, ~std::size_t{0}));
    INVALID(earshot_stream_push_planar(stream, nullptr, 1));
    INVALID(earshot_stream_push_planar(stream, half.data(), 1));
    INVALID(earshot_stream_poll_events(stream, nullptr, 1, &count));
    INVALID(earshot_stream_poll_events(stream, &event, 1, nullptr));
    INVALID(earshot_stream_poll_changes(stream, nullptr, 1, &count));
    INVALID(earshot_stream_poll_changes(stream, &change, 1, nullptr));
    INVALID(earshot_stream_poll_activations(stream, nullptr, 1, &count, nullptr));
    INVALID(earshot_stream_poll_activations(stream, nullptr, 0, nullptr, nullptr));
    CHECK(earshot_stream_push(stream, nullptr, 0) == EARSHOT_OK); // nothing is no mistake
    CHECK(earshot_stream_poll_events(stream, nullptr, 0, &count) == EARSHOT_OK);
    CHECK(earshot_stream_finish(stream) == EARSHOT_OK);
    INVALID(earshot_stream_finish(stream));
    INVALID(earshot_stream_push(stream, &sample, 0));
    CHECK(wrong.count() >= 25);
}

TEST_CASE("a model without classes of its own says that it needs texts", "[unit]") {
    const test::TemporaryDirectory folder;
    test::writeProceduralModel(folder / "clap.safetensors", test::asLaionClap(test::smallModel()));
    const auto model = test::openModel(folder / "clap.safetensors");
    const test::Clip clip{.samples = test::noise(32000, 1), .channels = 1, .rate = 32000};
    const auto audio = clip.audio();
    earshot_result* result = nullptr;
    const auto status = earshot_analyze_samples(model.get(), &audio, nullptr, &result);
    if (earshot_model_class_count(model.get()) == 0) {
        CHECK(status == EARSHOT_UNSUPPORTED);
        CHECK_THAT(earshot_last_error(), ContainsSubstring("texts"));
    } else {
        CHECK(status == EARSHOT_OK);
        earshot_result_free(result);
    }
}
