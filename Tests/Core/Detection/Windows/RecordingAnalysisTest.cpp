#include "Core/Detection/Windows/RecordingAnalysis.h"

#include "Core/Detection/FakeModels.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace earshot;
using namespace earshot::detection;

namespace {

// Noise that comes and goes.
std::vector<float> murmur(int seconds, unsigned seed) {
    auto samples = test::noise(static_cast<std::size_t>(seconds) * 32000, seed);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] *= std::exp(-8.0f * (1.0f + std::sin(static_cast<float>(i) / 25000.0f)));
    return samples;
}

class Recorder : public ColumnObserver {
  public:
    void begin(int classes, double secondsPerColumn) override {
        CHECK(values.empty());
        classCount = classes;
        columnSeconds = secondsPerColumn;
    }
    void column(std::int64_t index, std::span<const float> probabilities) override {
        REQUIRE(probabilities.size() == static_cast<std::size_t>(classCount));
        REQUIRE(static_cast<std::size_t>(index) * probabilities.size() == values.size());
        values.insert(values.end(), probabilities.begin(), probabilities.end());
    }
    void end(double length) override { seconds = length; }

    int classCount = 0;
    double columnSeconds = 0.0;
    double seconds = -1.0;
    std::vector<float> values;
};

// As many columns an hour as the real network, of a recording that takes no hour to hear: tokens follow the
// level of their first frame.
class QuickModel : public TokenModel {
  public:
    int melBands() const override { return 2; }
    int windowFrames() const override { return 1024; }
    int framesPerToken() const override { return 32; }
    int classes() const override { return 3; }
    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        for (std::size_t i = 0; i < probabilities.size(); ++i)
            probabilities[i] = std::clamp((logMel[i / 3 * 32 * 2 + i % 2] + 80.0f) / 80.0f -
                                              0.1f * static_cast<float>(i % 3),
                                          0.0f, 1.0f);
    }
};

Analyzer quickAnalyzer() {
    return {std::make_unique<QuickModel>(),
            {.sampleRate = 1000,
             .fftSize = 16,
             .hopSize = 1,
             .melBands = 2,
             .lowHz = 0.0,
             .highHz = 500.0,
             .filters = {}},
            {}};
}

} // namespace

TEST_CASE("a recording's result equals what its whole timeline gives", "[unit]") {
    const test::TemporaryDirectory directory;
    const EventRule sensitive{.on = 0.28f, .off = 0.2f, .median = 3, .minDuration = 1.0, .mergeGap = 0.7};
    const EventRule strict{.on = 0.47f, .off = 0.25f, .median = 3, .minDuration = 2.0};
    const EventSettings settings{sensitive, {{1, strict}}};
    std::size_t events = 0, misses = 0;
    for (const int seconds : {1, 9, 25, 100})
        for (const auto mode : fake::modes) {
            CAPTURE(seconds, name(mode));
            const auto path = directory / "murmur.wav";
            test::writeAudio(path, test::AudioFormat::wavFloat, 32000, 1, murmur(seconds, 3));

            auto expected = fake::analyzer<fake::ContextModel>({.mode = mode, .hopTokens = 2});
            audio::AudioFile whole(path);
            analyzeFile(whole, expected, 32000.0);
            const EventList list = expected.events(settings);

            auto analyzer = fake::analyzer<fake::ContextModel>({.mode = mode, .hopTokens = 2});
            Recorder first, second;
            audio::AudioFile file(path);
            const auto result =
                analyzeRecording(file, analyzer, 32000.0,
                                 {.settings = settings, .reported = {}, .observers = {&first, &second}});
            REQUIRE(result.found.events == list.events);
            REQUIRE(result.found.nearMisses == list.nearMisses);
            REQUIRE(result.top.size() == 2);
            for (const formats::SoundScore& each : result.top) {
                float peak = 0.0f;
                for (auto i = static_cast<std::size_t>(each.classIndex); i < first.values.size(); i += 2)
                    peak = std::max(peak, first.values[i]);
                REQUIRE(each.score == peak);
            }
            REQUIRE(result.top[0].score >= result.top[1].score);
            REQUIRE(result.top[0].score == result.nearest->peak);
            REQUIRE(result.summary.seconds == static_cast<double>(seconds));
            for (const Recorder* recorder : {&first, &second}) {
                REQUIRE(recorder->values == fake::allColumns(expected));
                REQUIRE(recorder->seconds == static_cast<double>(seconds));
                REQUIRE(recorder->columnSeconds == expected.timeline().secondsPerColumn());
            }
            events += list.events.size();
            misses += list.nearMisses.size();
        }
    REQUIRE(events > 20);
    REQUIRE(misses > 3);
}

TEST_CASE("sounds that nobody asked for are neither reported nor nearest", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "murmur.wav";
    test::writeAudio(path, test::AudioFormat::wavFloat, 32000, 1, murmur(30, 5));
    const EventSettings settings{{.on = 0.3f, .off = 0.2f}, {{1, {.on = 0.5f, .off = 0.3f}}}};
    for (const std::vector<bool>& reported : {std::vector<bool>{}, {true, false}, {false, true}}) {
        auto analyzer = fake::analyzer<fake::ContextModel>({});
        audio::AudioFile file(path);
        Recorder recorder;
        const auto result = analyzeRecording(
            file, analyzer, 32000.0, {.settings = settings, .reported = reported, .observers = {&recorder}});
        const auto wanted = [&](int c) { return reported.empty() || reported[static_cast<std::size_t>(c)]; };
        CHECK_FALSE(result.found.events.empty());
        for (const Event& event : result.found.events) CHECK(wanted(event.classIndex));
        for (const NearMiss& miss : result.found.nearMisses) CHECK(wanted(miss.event.classIndex));
        // The first of the largest.
        std::optional<formats::NearestSound> nearest;
        for (std::size_t i = 0; i < recorder.values.size(); ++i) {
            const int c = static_cast<int>(i % 2);
            if (wanted(c) && (!nearest || recorder.values[i] > nearest->peak))
                nearest = formats::NearestSound{c, recorder.values[i],
                                                static_cast<double>(i / 2) * recorder.columnSeconds,
                                                settings.ruleFor(c).on};
        }
        REQUIRE(result.nearest == nearest);
    }
}

TEST_CASE("a day of columns is never kept at once", "[slow]") {
    constexpr std::int64_t columns = 24 * 3600 * 100 / 32; // of 0.32 s
    const test::TemporaryDirectory directory;
    auto samples = test::noise(columns * 32, 11);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] *= std::exp(-5.0f * (1.0f + std::sin(static_cast<float>(i) / 3000.0f)));
    const auto path = directory / "day.wav";
    test::writeAudio(path, test::AudioFormat::wavPcm16, 1000, 1, samples);
    const EventSettings settings{
        {.on = 0.6f, .off = 0.3f, .median = 5, .minDuration = 0.1, .mergeGap = 0.2},
        {{2, {.on = 0.01f, .off = 0.0f, .median = 99}}}}; // an event as long as the recording
    Analyzer whole = quickAnalyzer();
    audio::AudioFile wholeFile(path);
    analyzeFile(wholeFile, whole, 1000.0);
    REQUIRE(whole.timeline().columns() == columns);
    const EventList expected = whole.events(settings);

    Analyzer analyzer = quickAnalyzer();
    audio::AudioFile file(path);
    std::int64_t maxKept = 0;
    const auto result =
        analyzeRecording(file, analyzer, 1000.0, {.settings = settings, .reported = {}, .observers = {}},
                         [&](double, std::optional<double>) {
                             const Timeline& timeline = analyzer.timeline();
                             maxKept = std::max(maxKept, timeline.columns() - timeline.firstKept());
                             return true;
                         });
    REQUIRE(maxKept > 0);
    REQUIRE(maxKept < 3 * 256); // two chunks, and columns that are not settled
    REQUIRE(result.found.events == expected.events);
    REQUIRE(result.found.nearMisses == expected.nearMisses);
    REQUIRE(result.found.events.size() > 500);
    REQUIRE(result.found.events.front().offset - result.found.events.front().onset == result.summary.seconds);
    REQUIRE(result.found.nearMisses.size() > 200);
}

TEST_CASE("a gain of auto brings the loudest second to one level, whatever it was", "[unit]") {
    const test::TemporaryDirectory directory;
    auto sound = murmur(5, 3);
    const auto blocksOf = [&](float factor, const audio::ReadOptions& options) {
        auto samples = sound;
        for (float& sample : samples) sample *= factor;
        test::writeAudio(directory / "level.wav", test::AudioFormat::wavFloat, 32000, 1, samples);
        audio::AudioFile file(directory / "level.wav", Pipes::refused, options);
        BlockReader reader(file, 32000);
        std::vector<float> all;
        while (reader.next()) all.insert(all.end(), reader.block().begin(), reader.block().end());
        CHECK(reader.summary().seconds == 5.0);
        return std::pair(all, reader.summary());
    };
    audio::ReadOptions automatic;
    automatic.autoGain = true;
    const auto [usual, first] = blocksOf(1.0f, automatic);
    for (const float factor : {1e-4f, 0.1f, 1000.0f}) {
        const auto [samples, summary] = blocksOf(factor, automatic);
        CHECK(*summary.level == Approx(audio::autoLevel).margin(0.01));
        CHECK(summary.gain ==
              Approx(first.gain - 20.0 * std::log10(static_cast<double>(factor))).margin(0.01));
        REQUIRE(samples.size() == usual.size());
        for (std::size_t i = 0; i < samples.size(); ++i) REQUIRE(samples[i] == Approx(usual[i]).margin(1e-5));
    }
    audio::ReadOptions fixed;
    fixed.gain = 20.0;
    const auto [plain, plainSummary] = blocksOf(0.01f, {});
    const auto [louder, louderSummary] = blocksOf(0.01f, fixed);
    CHECK(*louderSummary.level == Approx(*plainSummary.level + 20.0).margin(0.001));
    CHECK(louder[70000] == Approx(10.0f * plain[70000]));
    // Silence stays what it is.
    CHECK(blocksOf(0.0f, automatic).second.gain == 0.0);
    CHECK(std::isinf(*blocksOf(0.0f, automatic).second.level));
}

TEST_CASE("nothing is reported of a recording that is too short, and that is said", "[unit]") {
    const test::TemporaryDirectory directory;
    const EventSettings settings{{.on = 0.01f, .off = 0.005f}, {}};
    for (const int rate : {1000, 8000, 44100}) {
        for (const bool enough : {false, true}) {
            const auto count = static_cast<std::size_t>(enough ? rate / 20 : rate / 20 - 1);
            test::writeAudio(directory / "short.wav", test::AudioFormat::wavFloat, rate, 1,
                             std::vector<float>(count, 0.5f));
            audio::AudioFile file(directory / "short.wav");
            auto analyzer = quickAnalyzer();
            const auto result = analyzeRecording(file, analyzer, 1000,
                                                 {.settings = settings, .reported = {}, .observers = {}});
            CHECK(result.found.events.empty() != enough);
            CHECK(result.nearest.has_value() == enough);
            CHECK(result.summary.warnings.empty() == enough);
            if (!enough)
                CHECK_THAT(result.summary.warnings.at(0),
                           ContainsSubstring("nothing is reported of recordings under 0.05 s"));
            audio::AudioFile again(directory / "short.wav");
            CHECK(analyzeFile(again, analyzer, 1000).warnings == result.summary.warnings);
            CHECK((analyzer.timeline().columns() > 0) == enough);
        }
    }
}

TEST_CASE("each channel has the events that it has by itself", "[unit]") {
    const test::TemporaryDirectory directory;
    const EventSettings settings{{.on = 0.4f, .off = 0.3f}, {}};
    const auto left = murmur(9, 1), right = murmur(9, 2);
    std::vector<float> both;
    for (std::size_t i = 0; i < left.size(); ++i) both.insert(both.end(), {left[i], right[i], 0.0f});
    test::writeAudio(directory / "both.wav", test::AudioFormat::wavFloat, 32000, 3, both);
    const auto eventsOf = [&](int channel) {
        audio::ReadOptions options;
        options.channel = channel;
        audio::AudioFile file(directory / "both.wav", Pipes::refused, options);
        auto analyzer = quickAnalyzer();
        double last = 0.0;
        const auto result =
            analyzeRecording(file, analyzer, 1000, {.settings = settings, .reported = {}, .observers = {}},
                             [&](double done, std::optional<double> total) {
                                 CHECK(done >= last);
                                 CHECK(done <= *total + 1e-9);
                                 last = done;
                                 return true;
                             });
        CHECK(result.summary.seconds == 9.0);
        CHECK(last == Approx(9.0));
        return result.found.events;
    };
    const auto each = eventsOf(audio::ReadOptions::eachChannel);
    CHECK(std::ranges::is_sorted(each, {}, &Event::onset));
    std::size_t count = 0;
    for (const int channel : {1, 2, 3}) {
        const auto alone = eventsOf(channel);
        count += alone.size();
        for (const Event& event : alone) {
            CHECK(event.channel == channel);
            CHECK(std::ranges::count(each, event) == 1);
        }
    }
    CHECK(count == each.size());
    CHECK(std::ranges::any_of(each, [](const Event& event) { return event.channel == 1; }));
    CHECK(std::ranges::any_of(each, [](const Event& event) { return event.channel == 2; }));
    for (const Event& event : eventsOf(audio::ReadOptions::mix)) CHECK(event.channel == 0);
}
