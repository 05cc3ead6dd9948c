#include "Core/Evaluation/Psds.h"
#include "Core/Evaluation/Scenes.h"
#include "Support/Catch.h"
#include "Support/ReferencePsds.h"

using namespace earshot::evaluation;
using earshot::test::strongRecording;

namespace {

constexpr double hour = 3600.0; // so that a false alarm is one per hour

using Level = std::pair<float, std::vector<Annotation>>;

// Gives the columns of each detection the level's probability. Levels rise, so that a threshold of one leaves
// its detections and the later ones'.
Scored heard(Scored recording, int classes, const std::vector<Level>& levels, double step = 0.5) {
    recording.columnSeconds = step;
    const auto columns = static_cast<std::size_t>(std::lround(recording.duration / step));
    recording.probabilities.assign(columns * static_cast<std::size_t>(classes), 0.0f);
    for (const auto& [level, detections] : levels)
        for (const Annotation& found : detections)
            for (auto i = std::lround(found.onset / step); i < std::lround(found.offset / step); ++i)
                recording.probabilities[static_cast<std::size_t>(i * classes + found.label)] = level;
    return recording;
}

double scoreOf(std::span<const Scored> recordings, int classes, const PsdsSettings& settings) {
    return psds(ModelOutput{.recordings = recordings, .classes = classes}, settings);
}

// A first class in whose falling score each kind of step comes: silence, runs that join, equal columns.
std::vector<Scored> randomRecordings(unsigned seed) {
    auto recordings = earshot::test::gridRecordings(6, 3, seed);
    earshot::test::blur(recordings, seed, 0.55f);
    std::mt19937 generator(seed);
    for (Scored& recording : recordings) {
        for (float& p : recording.probabilities) p = std::round(p * 64.0f) / 64.0f; // ties
        std::vector<Annotation> moved;
        for (const Annotation& sound : recording.annotations)
            if (generator() % 4u > 0)
                moved.push_back({sound.onset + 0.001 * static_cast<double>(generator() % 300u),
                                 sound.offset + 0.2, sound.label});
        if (seed % 2 == 0) std::erase_if(moved, [](const Annotation& sound) { return sound.label == 1; });
        annotate(recording, moved);
        recording.duration -= 0.1; // within the last column
    }
    return recordings;
}

} // namespace

TEST_CASE("PSDS is the area below the steps, as worked by hand", "[unit]") {
    // Two sounds in an hour. Strict: one of two without a false alarm. Lenient: both, with 25 false alarms.
    //
    //     false alarms per hour   0 to 25   25 to 100
    //     share detected          0.5       1.0            area: 0.5 * 0.25 + 1.0 * 0.75 = 0.875
    const Scored recording = strongRecording(hour, {{0.0, 10.0, 0}, {20.0, 30.0, 0}});
    std::vector<Annotation> lenient = {{20.0, 30.0, 0}};
    for (int i = 0; i < 25; ++i) lenient.push_back({100.0 + 2.0 * i, 101.0 + 2.0 * i, 0});
    const Level strict = {0.9f, {{0.0, 10.0, 0}}};
    const auto score = [](const Scored& one) { return scoreOf(std::span(&one, 1), 1, psds1); };
    CHECK(score(heard(recording, 1, {{0.5f, lenient}, strict})) == Approx(0.875));
    // Without the strict threshold both come with all false alarms.
    CHECK(score(heard(recording, 1, {{0.5f, lenient}, {0.5f, strict.second}})) == Approx(0.75));
    // An hour with ten times as much audio has a tenth of the false alarms per hour.
    Scored longer = recording;
    longer.duration *= 10.0;
    CHECK(score(heard(longer, 1, {{0.5f, lenient}, {0.5f, strict.second}})) == Approx(0.975));
    // More than the highest rate counts for nothing.
    for (int i = 0; i < 80; ++i) lenient.push_back({1000.0 + 2.0 * i, 1001.0 + 2.0 * i, 0});
    CHECK(score(heard(recording, 1, {{0.5f, lenient}, {0.5f, strict.second}})) == 0.0);
}

TEST_CASE("PSDS tolerances are as worked by hand", "[unit]") {
    const Scored recording = strongRecording(hour, {{100.0, 110.0, 0}});
    const auto score = [&](const std::vector<Annotation>& detections, const PsdsSettings& settings) {
        const Scored one = heard(recording, 1, {{0.5f, detections}}, 0.1);
        return scoreOf(std::span(&one, 1), 1, settings);
    };
    // Half of the detection lies in the sound: enough for 10 %, not for 70 %.
    CHECK(score({{100.0, 120.0, 0}}, psds1) == 0.0);
    CHECK(score({{100.0, 120.0, 0}}, psds2) == Approx(1.0));
    // 70 % of both, exactly.
    CHECK(score({{103.0, 113.0, 0}}, psds1) == Approx(1.0));
    CHECK(score({{103.1, 113.1, 0}}, psds1) == 0.0);
    // Two detections cover together what neither covers alone.
    CHECK(score({{100.0, 104.0, 0}}, psds1) == 0.0);
    CHECK(score({{100.0, 104.0, 0}, {105.0, 109.0, 0}}, psds1) == Approx(1.0));
    // What does not meet the detection tolerance covers nothing (and is one false alarm an hour).
    CHECK(score({{100.0, 104.0, 0}, {105.0, 125.0, 0}}, psds1) == 0.0);
}

TEST_CASE("differences between classes cost what the variability says", "[unit]") {
    const Scored recording = strongRecording(hour, {{0.0, 10.0, 0}, {20.0, 30.0, 1}});
    // Ratios 1 and 0: mean 0.5, deviation 0.5.
    const auto score = [&](int classes, const PsdsSettings& settings) {
        const Scored one = heard(recording, classes, {{0.5f, {{0.0, 10.0, 0}}}});
        return scoreOf(std::span(&one, 1), classes, settings);
    };
    PsdsSettings settings = psds1;
    settings.maxFalsePositiveRate = 0.5; // at threshold 0 all is one false alarm an hour
    CHECK(score(2, settings) == 0.0);
    settings.variabilityCost = 0.5;
    CHECK(score(2, settings) == Approx(0.25));
    settings.variabilityCost = 0.0;
    CHECK(score(2, settings) == Approx(0.5));
    // Classes that nobody annotated are not there.
    CHECK(score(9, settings) == Approx(0.5));
}

TEST_CASE("cross-triggers cost as worked by hand", "[unit]") {
    // Class 0 is heard rightly once, and once in class 1's only sound of 100 s: a false alarm and a
    // cross-trigger.
    //   false alarms 1 / h, cross-triggers 1 per 100 s = 36 / h, effective 1 + 0.5 * 36 = 19 / h
    // Below 19 / h the ratios are 0 and 1 (0.5 - 0.5 = 0), from there on both 1: 0.81.
    const Scored recording = strongRecording(hour, {{0.0, 10.0, 0}, {100.0, 200.0, 1}});
    std::vector<Annotation> found = {{0.0, 10.0, 0}, {100.0, 110.0, 0}, {100.0, 200.0, 1}};
    const Scored two = heard(recording, 2, {{0.5f, found}});
    CHECK(scoreOf(std::span(&two, 1), 2, psds2) == Approx(0.81));
    // Scenario 1 does not ask what triggered it: 1 / h.
    CHECK(scoreOf(std::span(&two, 1), 2, psds1) == Approx(0.99));
    // With a third class the mean is over two others: 1 + 0.5 * 36 / 2 = 10 / h.
    const Scored more = strongRecording(hour, {{0.0, 10.0, 0}, {100.0, 200.0, 1}, {300.0, 310.0, 2}});
    found.push_back({300.0, 310.0, 2});
    const Scored three = heard(more, 3, {{0.5f, found}});
    PsdsSettings mild = psds2;
    mild.variabilityCost = 0.0;
    CHECK(scoreOf(std::span(&three, 1), 3, mild) == Approx(0.9 + 0.1 * 2.0 / 3.0));
}

TEST_CASE("PSDS takes every threshold that occurs, as plain loops do", "[unit]") {
    std::size_t above = 0, found = 0;
    std::vector<float> fifty;
    for (int i = 0; i < 50; ++i) fifty.push_back((static_cast<float>(i) + 0.5f) / 50.0f);
    for (unsigned seed = 1; seed <= 8; ++seed) {
        const auto recordings = randomRecordings(seed);
        for (const PsdsSettings& scenario : {psds1, psds2}) {
            PsdsSettings settings = scenario;
            settings.maxFalsePositiveRate = 300.0; // the recordings are short
            CAPTURE(seed, settings.crossTriggerCost);
            const double score = scoreOf(recordings, 3, settings);
            if (score > 0.05) ++found;
            CHECK(score < 1.0);
            CHECK(std::abs(score - earshot::test::referencePsds(recordings, 3, settings)) <= 1e-9);
            // With fewer thresholds it cannot be higher, if differences between classes cost nothing.
            settings.variabilityCost = 0.0;
            const double few = earshot::test::referencePsds(recordings, 3, settings, fifty);
            CHECK(few <= scoreOf(recordings, 3, settings) + 1e-12);
            if (few < scoreOf(recordings, 3, settings) - 1e-4) ++above;
        }
    }
    CHECK(above > 0);
    CHECK(found > 8);
}

TEST_CASE("a draw counts each recording as often as it says", "[unit]") {
    const auto recordings = randomRecordings(3);
    const ModelOutput output = {.recordings = recordings, .classes = 3};
    const std::vector<Draw> draws = {{1, 1, 1, 1, 1, 1}, {2, 0, 1, 3, 0, 1}, {0, 0, 0, 0, 0, 0}};
    for (const PsdsSettings& settings : {psds1, psds2}) {
        const auto scores = psds(std::span(&output, 1), settings, draws);
        REQUIRE(scores.size() == 3);
        CHECK(scores[0] == psds(output, settings));
        std::vector<Scored> copies;
        for (std::size_t r = 0; r < recordings.size(); ++r)
            for (std::uint32_t n = 0; n < draws[1][r]; ++n) copies.push_back(recordings[r]);
        CHECK(scores[1] == Approx(earshot::test::referencePsds(copies, 3, settings)));
        CHECK(std::isnan(scores[2]));
    }
}

TEST_CASE("a merge gap, a release and sounds of no length do not change the PSDS", "[unit]") {
    auto recordings = randomRecordings(5);
    const double expected = scoreOf(recordings, 3, psds2);
    auto joined = recordings;
    for (Scored& recording : joined) joinPauses(recording, 10.0);
    CHECK(joined[0].annotations != recordings[0].annotations);
    CHECK(scoreOf(joined, 3, psds2) == expected);
    const DetectorSettings rules = {.release = 0.2f, .minDuration = 1.0, .mergeGap = 2.0};
    CHECK(psds(ModelOutput{.recordings = recordings, .classes = 3, .detector = rules}, psds2) == expected);
    auto sounds = recordings[0].unjoined;
    sounds.push_back({sounds.back().offset + 0.5, sounds.back().offset + 0.5, 0});
    annotate(recordings[0], sounds);
    CHECK(scoreOf(recordings, 3, psds2) == expected);
    // The median is a filter of the scores.
    const DetectorSettings smooth = {.median = 5};
    CHECK(psds(ModelOutput{.recordings = recordings, .classes = 3, .detector = smooth}, psds2) != expected);
}

TEST_CASE("nothing annotated scores nothing", "[unit]") {
    const Scored recording = heard(strongRecording(10.0, {}), 2, {{0.5f, {{1.0, 2.0, 0}}}});
    CHECK(scoreOf(std::span(&recording, 1), 2, psds1) == 0.0);
    CHECK(scoreOf({}, 2, psds2) == 0.0);
}
