#include "Core/Evaluation/Scores.h"
#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Rules.h"
#include "Core/Detection/Timeline.h"
#include "Core/Evaluation/Scenes.h"
#include "Support/Catch.h"

#include <cmath>

using namespace earshot;
using namespace earshot::evaluation;
using test::gridRecordings;

namespace {

constexpr int classes = 4;

std::vector<float> all(float threshold) { return std::vector<float>(classes, threshold); }

void checkEqual(const Scores& a, const Scores& b) {
    CHECK(a.segments == b.segments);
    CHECK(a.events == b.events);
    CHECK(a.looseEvents == b.looseEvents);
    CHECK(a.psds1 == Approx(b.psds1));
    CHECK(a.psds2 == Approx(b.psds2));
    CHECK(a.meanAveragePrecision == Approx(b.meanAveragePrecision));
    CHECK(a.falseAlarmsPerHour == Approx(b.falseAlarmsPerHour));
    CHECK(a.confusion == b.confusion);
}

} // namespace

TEST_CASE("detections are the events the product would show", "[unit]") {
    auto recordings = gridRecordings(5, classes, 3);
    test::blur(recordings, 4, 0.7f);
    const detection::Labels labels = detection::Labels::read({}, "model", classes);
    const std::vector<float> thresholds = {0.3f, 0.45f, 0.5f, 0.6f};
    const DetectorSettings settings{.release = 0.7f, .median = 3, .minDuration = 0.5, .mergeGap = 0.4};
    detection::RuleChoice choice;
    choice.release = 0.7f;
    choice.median = 3;
    choice.minDuration = 0.5;
    choice.mergeGap = 0.4;
    for (int c = 0; c < classes; ++c) choice.classThresholds[c] = thresholds[static_cast<std::size_t>(c)];
    std::size_t compared = 0;
    for (const Scored& recording : recordings) {
        detection::Timeline timeline(classes, recording.columnSeconds);
        timeline.add(0, recording.probabilities);
        timeline.finish(recording.duration);
        std::vector<Annotation> expected;
        for (const auto& event :
             detection::deriveEvents(timeline, detection::eventSettings(choice, labels)).events)
            expected.push_back({event.onset, event.offset, event.classIndex});
        CHECK(detect(recording, classes, thresholds, settings) == expected);
        compared += expected.size();
    }
    CHECK(compared > 10);
}

TEST_CASE("perfect probabilities score 1 everywhere", "[unit]") {
    const auto recordings = gridRecordings(8, classes, 1);
    const Scores scores = evaluate(recordings, classes, all(0.5f), {});
    CHECK(scores.segments.f1() == 1.0);
    CHECK(scores.events.f1() == 1.0);
    CHECK(scores.looseEvents.f1() == 1.0);
    CHECK(scores.segmentMacroF1 == 1.0);
    CHECK(scores.eventMacroF1 == 1.0);
    CHECK(scores.looseEventMacroF1 == 1.0);
    CHECK(scores.psds1 == Approx(1.0));
    CHECK(scores.psds2 == Approx(1.0));
    CHECK(scores.meanAveragePrecision == 1.0);
    CHECK(scores.falseAlarmsPerHour == 0.0);
    std::int64_t events = 0;
    double seconds = 0.0;
    for (const Scored& recording : recordings) {
        events += static_cast<std::int64_t>(recording.annotations.size());
        seconds += recording.duration;
    }
    CHECK(scores.events.truePositives == events);
    CHECK(scores.seconds == Approx(seconds));
    for (std::size_t row = 0; row <= classes; ++row)
        for (std::size_t column = 0; column <= classes; ++column)
            CHECK((scores.confusion[row][column] > 0) == (row == column && row < classes));
}

TEST_CASE("a model that hears nothing scores 0", "[unit]") {
    auto recordings = gridRecordings(4, classes, 1);
    for (Scored& recording : recordings) std::ranges::fill(recording.probabilities, 0.0f);
    const Scores scores = evaluate(recordings, classes, all(0.5f), {});
    CHECK(scores.segments.f1() == 0.0);
    CHECK(scores.events.f1() == 0.0);
    CHECK(scores.looseEventMacroF1 == 0.0);
    CHECK(scores.psds1 == 0.0);
    // Zero is a threshold that occurs: there all is one detection, which is right by 10 % for some classes.
    CHECK(scores.psds2 < 0.5);
    CHECK(scores.falseAlarmsPerHour == 0.0);
    CHECK(scores.events.falsePositives == 0);
    CHECK(scores.events.falseNegatives > 0);
}

TEST_CASE("a shift beyond the collar loses the events and keeps the segments", "[unit]") {
    auto recordings = gridRecordings(8, classes, 2);
    const auto shifted = [&](std::size_t columns) {
        auto moved = recordings;
        for (Scored& recording : moved)
            std::ranges::rotate(recording.probabilities, recording.probabilities.end() -
                                                             static_cast<std::ptrdiff_t>(columns * classes));
        return evaluate(moved, classes, all(0.5f), {});
    };
    const Scores one = shifted(1); // 0.32 s
    CHECK(one.events.truePositives == 0);
    CHECK(one.looseEvents.f1() == 1.0);
    CHECK(one.segments.f1() > 0.6);
    const Scores two = shifted(2); // 0.64 s
    CHECK(two.looseEvents.truePositives == 0);
    CHECK(two.segments.f1() < one.segments.f1());
}

TEST_CASE("the order of recordings changes nothing", "[unit]") {
    auto recordings = gridRecordings(6, classes, 7);
    test::blur(recordings, 8, 0.5f);
    const Scores expected = evaluate(recordings, classes, all(0.4f), {});
    CHECK(expected.events.falsePositives > 0);
    std::ranges::reverse(recordings);
    checkEqual(evaluate(recordings, classes, all(0.4f), {}), expected);
    std::ranges::rotate(recordings, recordings.begin() + 2);
    checkEqual(evaluate(recordings, classes, all(0.4f), {}), expected);
}

TEST_CASE("weakly labelled recordings count for average precision alone", "[unit]") {
    const auto strong = gridRecordings(4, classes, 9);
    auto mixed = strong;
    Scored weak = strong[0];
    weak.strong = false;
    weak.annotations.clear();
    weak.labels = {1};
    std::ranges::fill(weak.probabilities, 0.99f);
    mixed.push_back(weak);
    const Scores expected = evaluate(strong, classes, all(0.5f), {});
    const Scores scores = evaluate(mixed, classes, all(0.5f), {});
    CHECK(scores.events == expected.events);
    CHECK(scores.segments == expected.segments);
    CHECK(scores.psds1 == Approx(expected.psds1));
    CHECK(scores.seconds == Approx(expected.seconds));
    CHECK(scores.meanAveragePrecision < expected.meanAveragePrecision);
}

TEST_CASE("recordings of other sounds count for average precision alone", "[unit]") {
    const auto recordings = gridRecordings(4, classes, 9);
    Scored other = recordings[0];
    annotate(other, {});
    std::ranges::fill(other.probabilities, 0.99f);
    const Scores expected = evaluate(recordings, classes, all(0.5f), {});
    Scores scores = evaluate(recordings, classes, all(0.5f), {}, std::vector{other});
    CHECK(scores.meanAveragePrecision < expected.meanAveragePrecision);
    scores.meanAveragePrecision = expected.meanAveragePrecision;
    checkEqual(scores, expected);
    CHECK(scores.seconds == expected.seconds);
}

TEST_CASE("classes of few sources are scored apart, and those of none in neither part", "[unit]") {
    auto recordings = gridRecordings(6, classes, 7);
    test::blur(recordings, 12, 0.5f);
    const Scores scores = evaluate(recordings, classes, all(0.4f), {});
    REQUIRE(scores.events.truePositives > 0);
    const auto& own = scores.classes;

    const auto parts = partsBySources(scores, std::vector<std::size_t>{4, 3, 0, 25});
    CHECK(parts.many.classes == 2);
    CHECK(parts.many.events == total(std::vector<Counts>{own[0].events, own[3].events}));
    CHECK(parts.many.looseEvents == total(std::vector<Counts>{own[0].looseEvents, own[3].looseEvents}));
    CHECK(parts.many.segments == total(std::vector<Counts>{own[0].segments, own[3].segments}));
    CHECK(parts.many.meanAveragePrecision ==
          Approx((own[0].averagePrecision.value() + own[3].averagePrecision.value()) / 2.0));
    CHECK(parts.few.classes == 1);
    CHECK(parts.few.events == own[1].events);
    CHECK(parts.few.meanAveragePrecision == Approx(own[1].averagePrecision.value()));

    const auto whole = partsBySources(scores, std::vector<std::size_t>(classes, 4));
    CHECK(whole.many.events == scores.events);
    CHECK(whole.many.meanAveragePrecision == Approx(scores.meanAveragePrecision));
    CHECK(whole.few.classes == 0);
    CHECK(whole.few.meanAveragePrecision == 0.0);
}

TEST_CASE("a sweep has the scores of each of its thresholds", "[unit]") {
    auto recordings = gridRecordings(4, classes, 11);
    test::blur(recordings, 12, 0.5f);
    const std::vector<float> thresholds = {0.2f, 0.5f, 0.7f};
    const auto points = sweep(recordings, classes, thresholds, {});
    REQUIRE(points.size() == thresholds.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Scores scores =
            evaluate(recordings, classes, all(thresholds[i]), {.detector = {}, .psds = false});
        CHECK(points[i].threshold == thresholds[i]);
        CHECK(points[i].segments == scores.segments);
        CHECK(points[i].events == scores.events);
        CHECK(points[i].looseEvents == scores.looseEvents);
        CHECK(points[i].falseAlarmsPerHour == Approx(scores.falseAlarmsPerHour));
    }
}

TEST_CASE("thresholds follow a class with many events and stay common with few", "[unit]") {
    // Class 0 is heard faintly, above a floor of 0.15; the others clearly, above one of 0.5.
    auto recordings = gridRecordings(40, classes, 13);
    for (Scored& recording : recordings) {
        std::erase_if(recording.annotations,
                      [&](const Annotation& a) { return a.label == 3 && &recording != recordings.data(); });
        for (std::size_t i = 0; i < recording.probabilities.size(); ++i) {
            const bool sounds = recording.probabilities[i] > 0.5f;
            const bool faint = i % classes == 0;
            recording.probabilities[i] = sounds ? (faint ? 0.3f : 0.9f) : (faint ? 0.1f : 0.28f);
        }
    }
    const DetectorSettings settings{.release = 1.0f};
    const auto chosen = chooseThresholds(recordings, classes, settings);
    REQUIRE(chosen.size() == classes);
    CHECK(chosen[0] > 0.1f);
    CHECK(chosen[0] <= 0.3f);
    CHECK(chosen[1] > 0.28f);
    CHECK(chosen[1] <= 0.9f);
    const double before = evaluate(recordings, classes, all(0.5f), {settings, false}).looseEventMacroF1;
    CHECK(evaluate(recordings, classes, chosen, {settings, false}).looseEventMacroF1 > before);
    // A class that never occurs has the common threshold, which one with few events is near.
    auto without = recordings;
    for (Scored& recording : without)
        std::erase_if(recording.annotations, [](const Annotation& a) { return a.label == 2; });
    const auto fewer = chooseThresholds(without, classes, settings);
    for (const float threshold : fewer) {
        CHECK(threshold >= 0.05f);
        CHECK(threshold <= 0.95f);
    }
}

TEST_CASE("where nothing is right at any threshold, the usual one stays", "[unit]") {
    auto recordings = gridRecordings(4, classes, 11);
    for (Scored& recording : recordings) std::ranges::fill(recording.probabilities, 0.3f);
    const auto usual = all(detection::defaultThreshold);
    CHECK(chooseThresholds(recordings, classes, {}) == usual);
    CHECK(chooseRules(recordings, classes).second == usual);
    CHECK(chooseThresholds({}, classes, {}) == usual);
}

TEST_CASE("a class that is mostly mistaken is heard only when it is sure", "[unit]") {
    // Class 2 is at 0.6 wherever it does not sound, and at 0.7 in one of its few right places; the others are
    // told apart.
    auto recordings = gridRecordings(40, classes, 17);
    bool sure = false;
    for (Scored& recording : recordings)
        for (std::size_t i = 0; i < recording.probabilities.size(); ++i) {
            float& probability = recording.probabilities[i];
            const bool sounds = probability > 0.5f;
            if (i % classes != 2) {
                probability = sounds ? 0.5f : 0.02f;
            } else {
                probability = sounds ? (sure ? 0.02f : 0.7f) : 0.6f;
                sure = sure || sounds;
            }
        }
    const auto chosen = chooseThresholds(recordings, classes, {});
    CHECK(chosen[2] > 0.6f);
    CHECK(chosen[0] <= 0.5f);
    const double f1 = evaluate(recordings, classes, chosen, {{}, false}).looseEvents.f1();
    CHECK(f1 > 0.8);
    for (const float common : {0.05f, 0.3f, 0.5f, 0.65f, 0.95f})
        CHECK(f1 >= evaluate(recordings, classes, all(common), {{}, false}).looseEvents.f1());
}

TEST_CASE("rules join what a fine clock breaks, and follow sounds that fade", "[unit]") {
    // Sounds of 2 s, which fade to 0.13, beside mistakes at 0.3. A step is `step` seconds; two steps of each
    // sound are missed.
    const auto choose = [](double step) {
        std::vector<Scored> recordings(20);
        for (Scored& recording : recordings) {
            const auto columns = static_cast<std::size_t>(std::lround(30.0 / step));
            recording.columnSeconds = step;
            recording.duration = static_cast<double>(columns) * step;
            recording.probabilities.assign(columns, 0.02f);
            std::vector<Annotation> sounds;
            for (const double onset : {3.2, 12.8, 22.4}) {
                sounds.push_back({onset, onset + 1.92, 0});
                const auto first = static_cast<std::size_t>(std::lround(onset / step));
                const auto count = static_cast<std::size_t>(std::lround(1.92 / step));
                for (std::size_t i = 0; i < count; ++i)
                    recording.probabilities[first + i] = i % 10 < 2 ? 0.6f : 0.13f;
                if (count > 10)
                    recording.probabilities[first + 8] = recording.probabilities[first + 9] = 0.02f;
                const auto mistake = static_cast<std::size_t>(std::lround((onset + 4.8) / step));
                for (std::size_t i = 0; i < count; ++i) recording.probabilities[mistake + i] = 0.3f;
            }
            annotate(recording, sounds);
        }
        return chooseRules(recordings, 1);
    };
    const auto [fine, fineThresholds] = choose(0.08);
    CHECK(fine.mergeGap == 0.32);
    REQUIRE(fine.release);
    CHECK(*fine.release * fineThresholds[0] <= 0.13f);
    CHECK(fineThresholds[0] > 0.3f);
    const auto [coarse, coarseThresholds] = choose(0.32);
    CHECK(coarse.mergeGap == 0.0);
    CHECK(coarse.release.value_or(detection::defaultRelease) * coarseThresholds[0] <= 0.13f);
}
