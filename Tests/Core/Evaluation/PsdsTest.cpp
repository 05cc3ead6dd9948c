#include "Core/Evaluation/Psds.h"
#include "Core/Evaluation/Scenes.h"
#include "Core/Evaluation/Scores.h"
#include "Support/Catch.h"

using namespace earshot::evaluation;
using earshot::test::strongRecording;

namespace {

using Lists = std::vector<std::vector<Annotation>>;
using Sweep = std::vector<Lists>; // one per operating point

constexpr double hour = 3600.0; // so that a false alarm is one per hour

Sweep detectionsAtAll(const std::vector<Scored>& recordings, int classes, int sweep) {
    Sweep at;
    for (int i = 0; i < sweep; ++i) {
        const std::vector<float> thresholds(static_cast<std::size_t>(classes),
                                            (static_cast<float>(i) + 0.5f) / static_cast<float>(sweep));
        Lists lists;
        for (const Scored& recording : recordings)
            lists.push_back(detect(recording, classes, thresholds, {}));
        at.push_back(lists);
    }
    return at;
}

} // namespace

TEST_CASE("PSDS is the area below the steps, as worked by hand", "[unit]") {
    // Two sounds in an hour. Strict: one of two without a false alarm. Lenient: both, with 25 false alarms.
    //
    //     false alarms per hour   0 to 25   25 to 100
    //     share detected          0.5       1.0            area: 0.5 * 0.25 + 1.0 * 0.75 = 0.875
    const std::vector recordings = {strongRecording(hour, {{0.0, 10.0, 0}, {20.0, 30.0, 0}})};
    const Lists strict = {{{0.0, 10.0, 0}}};
    Lists lenient = {{{0.0, 10.0, 0}, {20.0, 30.0, 0}}};
    for (int i = 0; i < 25; ++i) lenient[0].push_back({100.0 + 2.0 * i, 101.0 + 2.0 * i, 0});
    CHECK(psds(recordings, 1, Sweep{strict, lenient}, psds1) == Approx(0.875));
    CHECK(psds(recordings, 1, Sweep{lenient, strict}, psds1) == Approx(0.875));
    CHECK(psds(recordings, 1, Sweep{lenient}, psds1) == Approx(0.75));
    // An hour with ten times as much audio has a tenth of the false alarms per hour.
    std::vector<Scored> longer = recordings;
    longer[0].duration *= 10.0;
    CHECK(psds(longer, 1, Sweep{lenient}, psds1) == Approx(0.975));
    // More than the highest rate counts for nothing.
    for (int i = 0; i < 80; ++i) lenient[0].push_back({1000.0 + 2.0 * i, 1001.0 + 2.0 * i, 0});
    CHECK(psds(recordings, 1, Sweep{lenient}, psds1) == 0.0);
}

TEST_CASE("PSDS tolerances are as worked by hand", "[unit]") {
    const std::vector recordings = {strongRecording(hour, {{100.0, 110.0, 0}})};
    const auto score = [&](const std::vector<Annotation>& detections, const PsdsSettings& settings) {
        return psds(recordings, 1, Sweep{Lists{detections}}, settings);
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
    // A detection that meets it but leaves the sound uncovered is no false alarm.
    const Lists all = {{{100.0, 101.0, 0}, {105.0, 106.0, 0}}};
    CHECK(psds(recordings, 1, Sweep{all, Lists{{{100.0, 110.0, 0}}}}, psds1) == Approx(1.0));
}

TEST_CASE("differences between classes cost what the variability says", "[unit]") {
    const std::vector recordings = {strongRecording(hour, {{0.0, 10.0, 0}, {20.0, 30.0, 1}})};
    const Sweep found = {Lists{{{0.0, 10.0, 0}}}}; // ratios 1 and 0: mean 0.5, deviation 0.5
    CHECK(psds(recordings, 2, found, psds1) == 0.0);
    PsdsSettings settings = psds1;
    settings.variabilityCost = 0.5;
    CHECK(psds(recordings, 2, found, settings) == Approx(0.25));
    settings.variabilityCost = 0.0;
    CHECK(psds(recordings, 2, found, settings) == Approx(0.5));
    // Classes that nobody annotated are not there.
    CHECK(psds(recordings, 9, found, settings) == Approx(0.5));
}

TEST_CASE("cross-triggers cost as worked by hand", "[unit]") {
    // Class 0 is heard rightly once, and once in class 1's only sound of 100 s: a false alarm and a
    // cross-trigger.
    //   false alarms 1 / h, cross-triggers 1 per 100 s = 36 / h, effective 1 + 0.5 * 36 = 19 / h
    // Below 19 / h the ratios are 0 and 1 (0.5 - 0.5 = 0), from there on both 1: 0.81.
    const std::vector recordings = {strongRecording(hour, {{0.0, 10.0, 0}, {100.0, 200.0, 1}})};
    const Sweep found = {Lists{{{0.0, 10.0, 0}, {100.0, 110.0, 0}, {100.0, 200.0, 1}}}};
    CHECK(psds(recordings, 2, found, psds2) == Approx(0.81));
    // Scenario 1 does not ask what triggered it: 1 / h.
    CHECK(psds(recordings, 2, found, psds1) == Approx(0.99));
    // With a third class the mean is over two others: 1 + 0.5 * 36 / 2 = 10 / h.
    auto three = recordings;
    three[0].annotations.push_back({300.0, 310.0, 2});
    auto foundOfThree = found;
    foundOfThree[0][0].push_back({300.0, 310.0, 2});
    PsdsSettings mild = psds2;
    mild.variabilityCost = 0.0;
    CHECK(psds(three, 3, foundOfThree, mild) == Approx(0.9 + 0.1 * 2.0 / 3.0));
}

TEST_CASE("more operating points never lower the PSDS", "[unit]") {
    for (unsigned seed = 1; seed <= 5; ++seed) {
        auto recordings = earshot::test::gridRecordings(6, 3, seed);
        earshot::test::blur(recordings, seed, 0.6f);
        PsdsSettings settings = psds1;
        settings.variabilityCost = 0.0;
        const auto all = detectionsAtAll(recordings, 3, 12);
        double last = 0.0;
        for (std::size_t points = 1; points <= all.size(); ++points) {
            const double score = psds(recordings, 3, std::span(all).first(points), settings);
            CHECK(score >= last);
            CHECK(score <= 1.0);
            last = score;
        }
        CHECK(last > 0.0);
        // Costs only cost.
        CHECK(psds(recordings, 3, all, psds1) <= last);
        PsdsSettings dear = settings;
        dear.crossTriggerCost = 1.0;
        CHECK(psds(recordings, 3, all, dear) <= last);
    }
}

TEST_CASE("nothing annotated scores nothing", "[unit]") {
    CHECK(psds(std::vector{strongRecording(10.0, {})}, 2, Sweep{Lists{{{1.0, 2.0, 0}}}}, psds1) == 0.0);
    CHECK(psds({}, 2, {}, psds2) == 0.0);
}
