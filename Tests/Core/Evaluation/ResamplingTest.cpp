#include "Core/Evaluation/Resampling.h"
#include "Core/Evaluation/Scenes.h"
#include "Core/Evaluation/Scores.h"
#include "Support/Catch.h"

#include <cmath>

using namespace earshot::evaluation;

namespace {

constexpr int classes = 3;
const std::vector<float> thresholds(classes, 0.4f);

std::vector<Scored> blurred(int count, unsigned seed, float amount) {
    auto recordings = earshot::test::gridRecordings(count, classes, 5);
    earshot::test::blur(recordings, seed, amount);
    return recordings;
}

ModelOutput outputOf(std::span<const Scored> recordings) {
    return {.recordings = recordings, .classes = classes, .thresholds = thresholds};
}

double of(const MainScores& scores, MainScore score) { return scores[static_cast<std::size_t>(score)]; }

void checkEqual(const MainScores& drawn, const Scores& scores) {
    CHECK(of(drawn, MainScore::events200) == Approx(scores.events.f1()));
    CHECK(of(drawn, MainScore::events500) == Approx(scores.looseEvents.f1()));
    CHECK(of(drawn, MainScore::segments) == Approx(scores.segments.f1()));
    CHECK(of(drawn, MainScore::eventMacro200) == Approx(scores.eventMacroF1));
    CHECK(of(drawn, MainScore::eventMacro500) == Approx(scores.looseEventMacroF1));
    CHECK(of(drawn, MainScore::segmentMacro) == Approx(scores.segmentMacroF1));
    CHECK(of(drawn, MainScore::psds1) == Approx(scores.psds1));
    CHECK(of(drawn, MainScore::psds2) == Approx(scores.psds2));
    CHECK(of(drawn, MainScore::meanAveragePrecision) == Approx(scores.meanAveragePrecision));
    CHECK(of(drawn, MainScore::falseAlarmsPerHour) == Approx(scores.falseAlarmsPerHour));
    CHECK(of(drawn, MainScore::eventErrors200) == Approx(scores.eventErrors.rate()));
    CHECK(of(drawn, MainScore::eventErrors500) == Approx(scores.looseEventErrors.rate()));
    CHECK(of(drawn, MainScore::segmentErrors) == Approx(scores.segmentErrors.rate()));
}

} // namespace

TEST_CASE("a draw has the scores of its recordings, as often as it has them", "[unit]") {
    auto recordings = blurred(6, 1, 0.55f);
    for (Scored& recording : recordings) // some hold no sound of a class
        if (&recording - recordings.data() > 2) {
            auto sounds = recording.annotations;
            std::erase_if(sounds, [](const Annotation& sound) { return sound.label == 2; });
            annotate(recording, sounds);
        }
    recordings[1].strong = false;
    auto others = blurred(2, 7, 0.9f);
    for (Scored& other : others) annotate(other, {});
    ModelOutput output = outputOf(recordings);
    output.others = others;
    const DrawnScores drawn(std::span(&output, 1));
    const std::vector<Draw> draws = {Draw(8, 1), {0, 2, 1, 3, 0, 1, 2, 1}};
    const auto scores = drawn.of(draws);
    REQUIRE(scores.size() == 2);
    checkEqual(scores[0], evaluate(recordings, classes, thresholds, {}, others));
    std::vector<Scored> copies, otherCopies;
    for (std::size_t i = 0; i < 8; ++i)
        for (std::uint32_t n = 0; n < draws[1][i]; ++n)
            (i < 6 ? copies : otherCopies).push_back(i < 6 ? recordings[i] : others[i - 6]);
    const Scores expected = evaluate(copies, classes, thresholds, {}, otherCopies);
    CHECK(expected.meanAveragePrecision < 1.0);
    CHECK(expected.events.falsePositives > 0);
    checkEqual(scores[1], expected);
}

TEST_CASE("the middle of values is that of numpy.percentile", "[unit]") {
    std::vector<double> values = {7.0, std::nan(""), 1.0, 3.0, 2.0, 9.5};
    // numpy 1.24.2: percentile([1, 2, 3, 7, 9.5], [2.5, 97.5])
    CHECK(middleOf(values).low == Approx(1.1));
    CHECK(middleOf(values).high == Approx(9.25));
    CHECK(std::isnan(middleOf({}).low));
    CHECK(middleOf({4.0}).high == 4.0);
}

TEST_CASE("the bootstrap is the same for a seed, and narrower with more recordings", "[unit]") {
    const auto few = blurred(6, 1, 0.65f), many = blurred(80, 1, 0.65f);
    const ResamplingSettings settings = {.draws = 500, .seed = 3, .progress = {}};
    const auto own = bootstrap(outputOf(few), settings);
    REQUIRE(own);
    const auto again = bootstrap(outputOf(few), settings);
    const auto other = bootstrap(outputOf(few), {.draws = 500, .seed = 4, .progress = {}});
    const auto wide = bootstrap(outputOf(many), settings);
    for (std::size_t s = 0; s < mainScoreCount; ++s) {
        CAPTURE(s);
        if (std::isnan(own->scores[s])) continue; // no clips of one sound
        const Interval& interval = own->intervals[s];
        CHECK(interval.low <= own->scores[s]);
        CHECK(interval.high >= own->scores[s]);
        CHECK(interval.low == again->intervals[s].low);
        CHECK(interval.high == again->intervals[s].high);
    }
    const auto width = [](const Resampled& result, MainScore score) {
        const Interval& interval = result.intervals[static_cast<std::size_t>(score)];
        return interval.high - interval.low;
    };
    for (const MainScore score : {MainScore::segments, MainScore::falseAlarmsPerHour}) {
        CHECK(width(*wide, score) > 0.0);
        CHECK(width(*wide, score) < 0.8 * width(*own, score));
    }
    const auto isAsBefore = [](const Interval& one, const Interval& two) { return one.low == two.low; };
    CHECK_FALSE(std::ranges::equal(own->intervals, other->intervals, isAsBefore));
    CHECK_FALSE(
        bootstrap(outputOf(few), {.draws = 500, .seed = 3, .progress = [](double) { return false; }}));
}

TEST_CASE("the interval of a share is that of its binomial distribution", "[unit]") {
    // In 70 of 100 recordings the only sound is found: low and high are those of 100 draws with p = 0.7
    // (scipy 1.10.1: binom.ppf([0.025, 0.975], 100, 0.7) = 61, 79).
    std::vector<Scored> recordings;
    for (int i = 0; i < 100; ++i) {
        Scored recording = earshot::test::strongRecording(9.6, {{3.2, 6.4, 0}});
        if (i < 70) earshot::test::hearPerfectly(recording, classes);
        recording.probabilities.resize(30 * classes, 0.02f);
        recordings.push_back(recording);
    }
    const auto result = bootstrap(outputOf(recordings), {.draws = 2000, .seed = 1, .progress = {}});
    REQUIRE(result);
    // F1 of a share p of found sounds and no false alarm is 2 p / (1 + p).
    const Interval& interval = result->intervals[static_cast<std::size_t>(MainScore::events200)];
    const auto share = [](double f1) { return f1 / (2.0 - f1); };
    CHECK(share(interval.low) == Approx(0.61).margin(0.0101));
    CHECK(share(interval.high) == Approx(0.79).margin(0.0101));
}

TEST_CASE("the interval of clip accuracy is that of its binomial distribution", "[unit]") {
    // 70 of 100 clips are named rightly by the peak, all by the mean; what has two sounds is no clip.
    std::vector<Scored> clips(102);
    for (std::size_t i = 0; i < clips.size(); ++i) {
        clips[i].clip = i < 101;
        clips[i].strong = false;
        clips[i].labels = {i < 30 ? 0 : 1};
        if (i >= 100) clips[i].labels = {0, 1};
        clips[i].probabilities = {0.1f, 0.6f, 0.0f, 0.1f, 0.6f, 0.0f}; // (2 columns, 3 classes)
        if (i < 30) clips[i].probabilities = {0.7f, 0.8f, 0.0f, 0.7f, 0.1f, 0.0f};
    }
    const auto result = bootstrap(outputOf(clips), {.draws = 2000, .seed = 1, .progress = {}});
    REQUIRE(result);
    const auto byPeak = static_cast<std::size_t>(MainScore::clipAccuracyByPeak);
    CHECK(result->scores[byPeak] == Approx(0.7));
    CHECK(result->intervals[byPeak].low == Approx(0.61).margin(0.0101)); // as above
    CHECK(result->intervals[byPeak].high == Approx(0.79).margin(0.0101));
    CHECK(of(result->scores, MainScore::clipAccuracyByMean) == Approx(1.0));
}

TEST_CASE("models differ if chance does not explain it", "[unit]") {
    const auto clear = blurred(24, 1, 0.45f), noisy = blurred(24, 2, 0.62f);
    const ResamplingSettings settings = {.draws = 400, .seed = 1, .progress = {}};
    const auto comparison = compareModels(outputOf(clear), outputOf(noisy), settings);
    REQUIRE(comparison);
    for (const MainScore score : {MainScore::events500, MainScore::segments, MainScore::psds1}) {
        const Difference& difference = comparison->differences[static_cast<std::size_t>(score)];
        CHECK(difference.value < 0.0);
        CHECK(difference.interval.high < 0.0);
        CHECK(difference.differ());
    }
    checkEqual(comparison->models[0].scores, evaluate(clear, classes, thresholds, {}));
    checkEqual(comparison->models[1].scores, evaluate(noisy, classes, thresholds, {}));
    // The same intervals as alone.
    const auto alone = bootstrap(outputOf(clear), settings);
    CHECK(alone->intervals[0].low == comparison->models[0].intervals[0].low);

    const auto same = compareModels(outputOf(noisy), outputOf(noisy), settings);
    for (const Difference& difference : same->differences) {
        if (std::isnan(difference.value)) continue;
        CHECK(difference.value == 0.0);
        CHECK(difference.interval.high == 0.0);
        CHECK(difference.pValue == 1.0);
    }
    // One recording proves nothing, however large the difference.
    const auto one =
        compareModels(outputOf(std::span(clear).first(1)), outputOf(std::span(noisy).first(1)), settings);
    for (const Difference& difference : one->differences) CHECK_FALSE(difference.differ());
}

TEST_CASE("models of equal quality rarely differ", "[unit]") {
    int differing = 0;
    for (unsigned trial = 0; trial < 20; ++trial) {
        const auto one = blurred(10, 100 + 2 * trial, 0.58f), other = blurred(10, 101 + 2 * trial, 0.58f);
        const auto comparison =
            compareModels(outputOf(one), outputOf(other), {.draws = 100, .seed = trial, .progress = {}});
        differing += comparison->differences[static_cast<std::size_t>(MainScore::segments)].differ() ? 1 : 0;
    }
    CHECK(differing <= 4); // 5 % of 20 is one; more than four has a chance of 0.3 %
}

TEST_CASE("classes of two models meet by the scored classes", "[unit]") {
    const auto own = blurred(8, 1, 0.5f);
    // The other model has the classes 2 and 0, and one more.
    constexpr int otherClasses = 4;
    const std::vector<int> first = {0, 2}, second = {3, 1};
    std::vector<Scored> other;
    for (const Scored& recording : own) {
        Scored copy = recording;
        copy.probabilities.assign(recording.columns(classes) * otherClasses, 0.9f);
        for (std::size_t i = 0; i < recording.columns(classes); ++i)
            for (std::size_t k = 0; k < 2; ++k)
                copy.probabilities[i * otherClasses + static_cast<std::size_t>(second[k])] =
                    recording.probabilities[i * classes + static_cast<std::size_t>(first[k])];
        std::vector<Annotation> sounds;
        for (const Annotation& sound : recording.annotations)
            if (sound.label != 1) sounds.push_back({sound.onset, sound.offset, sound.label == 0 ? 3 : 1});
        annotate(copy, sounds);
        other.push_back(copy);
    }
    auto restricted = own;
    for (Scored& recording : restricted) {
        auto sounds = recording.annotations;
        std::erase_if(sounds, [](const Annotation& sound) { return sound.label == 1; });
        annotate(recording, sounds);
    }
    ModelOutput a = outputOf(restricted);
    a.detector.only = first;
    const std::vector<float> otherThresholds(otherClasses, 0.4f);
    ModelOutput b = {.recordings = other, .classes = otherClasses, .thresholds = otherThresholds};
    b.detector.only = second;
    const auto comparison = compareModels(a, b, {.draws = 50, .seed = 1, .progress = {}});
    CHECK(comparison->models[0].scores[0] > 0.0);
    for (const Difference& difference : comparison->differences)
        CHECK((difference.value == 0.0 || std::isnan(difference.value))); // without clips of one sound
}
