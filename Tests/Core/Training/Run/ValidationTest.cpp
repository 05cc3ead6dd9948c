#include "Core/Training/Run/Validation.h"
#include "Core/Evaluation/Scores.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <algorithm>
#include <cmath>

using namespace earshot;
using namespace earshot::training;

namespace {

// Class 0 is loudness: the mean level of a token's frames, from -100 to 0 dB.
class LoudnessModel : public detection::TokenModel {
  public:
    int melBands() const override { return 64; }
    int windowFrames() const override { return 1024; }
    int framesPerToken() const override { return 32; }
    int classes() const override { return 2; }
    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        ++passes;
        constexpr std::size_t valuesPerToken = std::size_t{32} * 64;
        for (std::size_t token = 0; token < 32; ++token) {
            double sum = 0.0;
            for (const float value : logMel.subspan(token * valuesPerToken, valuesPerToken))
                sum += static_cast<double>(value);
            const auto level = static_cast<float>(sum / static_cast<double>(valuesPerToken));
            probabilities[2 * token] = std::clamp(1.0f + level / 100.0f, 0.0f, 1.0f);
            probabilities[2 * token + 1] = 0.0f;
        }
    }

    int passes = 0;
};

double levelOf(std::span<const float> samples) {
    double squares = 0.0;
    for (const float sample : samples) squares += static_cast<double>(sample) * static_cast<double>(sample);
    return 10.0 * std::log10(squares / static_cast<double>(samples.size()) + 1e-20);
}

// Power in differences over power: grows with the share of high frequencies.
double brightness(std::span<const float> samples) {
    double differences = 0.0, squares = 0.0;
    for (std::size_t i = 1; i < samples.size(); ++i) {
        const double step = static_cast<double>(samples[i]) - static_cast<double>(samples[i - 1]);
        differences += step * step;
        squares += static_cast<double>(samples[i]) * static_cast<double>(samples[i]);
    }
    return differences / squares;
}

} // namespace

TEST_CASE("a listener hears what the analyzer hears", "[unit]") {
    for (const double seconds : {0.5, 11.0, 30.0}) {
        const auto samples = test::noise(static_cast<std::size_t>(seconds * 32000.0), 3);
        detection::Analyzer analyzer(std::make_unique<LoudnessModel>(), {}, {});
        analyzer.push(samples);
        analyzer.finish();
        LoudnessModel model;
        Listener listener(model, {});
        listener.listen(test::noise(64000, 9)); // something before it
        model.passes = 0;
        const auto heard = listener.listen(samples);
        CHECK(model.passes == analyzer.passes());
        CHECK(heard.duration == Approx(seconds));
        CHECK(heard.columnSeconds == Approx(0.32));
        CHECK(heard.annotations.empty());
        REQUIRE(heard.columns(2) == static_cast<std::size_t>(analyzer.timeline().columns()));
        for (std::size_t i = 0; i < heard.columns(2); ++i)
            CHECK(heard.probabilities[2 * i] == analyzer.timeline().column(static_cast<std::int64_t>(i))[0]);
    }
}

TEST_CASE("whole windows need a quarter of the passes", "[unit]") {
    const auto samples = test::noise(60 * 32000, 3);
    LoudnessModel model;
    Listener quarter(model, {});
    const auto steady = quarter.listen(samples);
    const int quarterPasses = std::exchange(model.passes, 0);
    Listener whole(model, {}, Pace::wholeWindows);
    const auto quick = whole.listen(samples);
    CHECK(model.passes <= 6);
    CHECK(quarterPasses >= 3 * model.passes);
    CHECK(quick.columns(2) == steady.columns(2));
}

TEST_CASE("made noise is of its kind, level and seed", "[unit]") {
    REQUIRE(noiseKinds().size() == 5);
    for (std::size_t round = 0; round < 4; ++round) {
        std::vector<std::vector<float>> made;
        for (std::size_t kind = 0; kind < 5; ++kind) made.push_back(makeNoise(5 * round + kind, 32000, 1));
        for (std::size_t kind = 0; kind < 4; ++kind) {
            CAPTURE(round, kind);
            REQUIRE(made[kind].size() == 30 * 32000);
            CHECK(levelOf(made[kind]) > -61.0);
            CHECK(levelOf(made[kind]) < -13.0);
            CHECK(makeNoise(5 * round + kind, 32000, 1) == made[kind]);
            CHECK(makeNoise(5 * round + kind, 32000, 2) != made[kind]);
        }
        CHECK(std::ranges::all_of(made[4], [](float sample) { return sample == 0.0f; }));
        CHECK(brightness(made[0]) == Approx(2.0).epsilon(0.02)); // neighbours are independent
        CHECK(brightness(made[1]) < 1.0);
        CHECK(brightness(made[2]) < 0.3 * brightness(made[1]));
        CHECK(brightness(made[3]) < 0.3);
    }
}

TEST_CASE("pink noise has as much in every octave, brown a quarter", "[unit]") {
    // Levels of octave bands, by differences of a one-pole low-pass at both ends.
    const auto octave = [](std::span<const float> samples, double hertz) {
        const auto pole = [](double corner) { return std::exp(-2.0 * 3.14159265358979 * corner / 32000.0); };
        const double low = pole(hertz), high = pole(2.0 * hertz);
        double a = 0.0, b = 0.0, power = 0.0;
        for (const float sample : samples) {
            a = low * a + (1.0 - low) * static_cast<double>(sample);
            b = high * b + (1.0 - high) * static_cast<double>(sample);
            power += (b - a) * (b - a);
        }
        return 10.0 * std::log10(power);
    };
    const auto pink = makeNoise(1, 32000, 7);
    const auto brown = makeNoise(2, 32000, 7);
    for (double hertz = 100.0; hertz < 3000.0; hertz *= 2.0) {
        CAPTURE(hertz);
        CHECK(std::abs(octave(pink, 2.0 * hertz) - octave(pink, hertz)) < 1.5);
        CHECK(octave(brown, 2.0 * hertz) - octave(brown, hertz) < -2.0);
    }
}

TEST_CASE("noise hours are a whole number of every kind", "[unit]") {
    CHECK(noiseCount(0.0) == 0);
    CHECK(noiseCount(0.01) == 5);
    CHECK(noiseCount(1.0) == 120);
    CHECK(noiseCount(1.001) == 125);
}

TEST_CASE("noise is scored as recordings in which nothing sounds", "[slow]") {
    LoudnessModel model;
    Listener listener(model, {}, Pace::wholeWindows);
    std::size_t calls = 0;
    const auto recordings = scoreNoise(listener, 0.05, 1, [&](std::size_t done, std::size_t total) {
        CHECK(done == ++calls);
        CHECK(total == 10);
        return done < 8;
    });
    REQUIRE(recordings.size() == 8);
    for (std::size_t i = 0; i < recordings.size(); ++i) {
        CHECK(recordings[i].strong);
        CHECK(recordings[i].annotations.empty());
        CHECK(recordings[i].duration == Approx(30.0));
        const auto heard = evaluation::detect(recordings[i], 2, std::vector<float>{0.05f, 0.5f}, {});
        CHECK(heard.size() == (i % 5 == 4 ? 0u : 1u)); // all but the silence
    }
    const auto scores =
        evaluation::evaluate(recordings, 2, std::vector<float>{0.05f, 0.5f}, {.detector = {}, .psds = false});
    CHECK(scores.falseAlarmsPerHour == Approx(7.0 * 3600.0 / 240.0));
}

TEST_CASE("scenes are scored with their annotations, in the model's classes", "[slow]") {
    const test::TemporaryDirectory directory;
    DataSet data;
    data.labels = {"a", "b"};
    for (int i = 0; i < 4; ++i) {
        const auto file = directory / (std::to_string(i) + ".wav");
        test::writeAudio(file, test::AudioFormat::wavFloat, 32000, 1,
                         test::sine(400.0 + 300.0 * i, 1.0 + 0.3 * i, 32000));
        Clip clip;
        clip.file = file;
        clip.labels = {i % 2};
        clip.group = file.string();
        clip.split = Split::valid;
        data.clips.push_back(clip);
    }
    const ClipStore store(data, 32000, 1, {});
    SceneSettings settings;
    settings.seconds = 12.0;
    settings.emptyShare = 0.0f;
    const SceneMixer mixer(store, data, model::Config{}, settings, Split::valid, 5);
    LoudnessModel model;
    Listener listener(model, {});
    const auto scenes = scoreScenes(listener, mixer, 4);
    REQUIRE(scenes.size() == 4);
    std::size_t events = 0;
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        const Scene scene = mixer.makeScene(i);
        CHECK(scenes[i].duration == Approx(12.0));
        CHECK(scenes[i].probabilities == listener.listen(scene.samples).probabilities);
        std::vector<evaluation::Annotation> expected;
        for (const auto& span : scene.annotations) expected.push_back({span.onset, span.offset, span.label});
        CHECK(scenes[i].annotations == evaluation::joinOverlaps(expected));
        events += expected.size();
    }
    CHECK(events > 3);
    // The model knows the second label as its class 0, and not the first.
    const auto mapped = scoreScenes(listener, mixer, 4, std::vector<int>{-1, 0});
    for (std::size_t i = 0; i < mapped.size(); ++i) {
        auto expected = evaluation::ofClass(scenes[i].annotations, 1);
        for (auto& annotation : expected) annotation.label = 0;
        CHECK(mapped[i].annotations == expected);
    }
}
