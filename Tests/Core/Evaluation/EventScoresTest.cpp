#include "Core/Evaluation/EventScores.h"
#include "Core/Evaluation/Scenes.h"
#include "Support/Catch.h"

#include <cmath>

using namespace earshot::evaluation;
using earshot::test::strongRecording;

namespace {

using Lists = std::vector<std::vector<Annotation>>;

// Every assignment of left vertices, in turn, to a free right one or to nobody.
std::size_t bestByTrying(const std::vector<std::vector<std::size_t>>& edges, std::size_t left,
                         unsigned taken) {
    if (left == edges.size()) return 0;
    std::size_t best = bestByTrying(edges, left + 1, taken);
    for (const std::size_t right : edges[left])
        if ((taken & (1u << right)) == 0)
            best = std::max(best, 1 + bestByTrying(edges, left + 1, taken | (1u << right)));
    return best;
}

} // namespace

TEST_CASE("events count as worked by hand", "[unit]") {
    //   annotated    detected      onset off by   offset off by   allowed: max(0.2, 20 %)
    //   1.0 - 2.0    1.19 - 1.81   0.19           0.19            0.2      right
    //   3.0 - 8.0    2.9  - 7.1    0.1            0.9             1.0      right
    //   9.0 - 9.5    9.25 - 9.5    0.25           0.0             0.2      wrong, but within 0.5 s
    const std::vector recordings = {strongRecording(10.0, {{1.0, 2.0, 0}, {3.0, 8.0, 0}, {9.0, 9.5, 0}})};
    const Lists detections = {{{1.19, 1.81, 0}, {2.9, 7.1, 0}, {9.25, 9.5, 0}}};
    CHECK(eventCounts(recordings, 1, detections) == std::vector<Counts>{{2, 1, 1}});
    CHECK(eventCounts(recordings, 1, detections, looseCollar) == std::vector<Counts>{{3, 0, 0}});
    // The same of another class: three wrong, three missed.
    Lists others = detections;
    for (auto& detection : others[0]) detection.label = 1;
    CHECK(eventCounts(recordings, 2, others) == std::vector<Counts>{{0, 0, 3}, {0, 3, 0}});
    // Two of them lie where another class was missed: substitutions.
    CHECK(eventErrors(recordings, 2, others) == Errors{2, 1, 1, 3});
    CHECK(eventErrors(recordings, 2, others).rate() == Approx(4.0 / 3.0));
    CHECK(eventErrors(recordings, 2, others, looseCollar) == Errors{3, 0, 0, 3});
    CHECK(eventErrors(recordings, 1, detections) == Errors{0, 1, 1, 3});
}

TEST_CASE("an event that is named wrongly beside a right one is no substitution", "[unit]") {
    const std::vector recordings = {strongRecording(10.0, {{1.0, 2.0, 0}, {5.0, 6.0, 1}})};
    CHECK(eventErrors(recordings, 3, Lists{{{1.0, 2.0, 0}, {1.0, 2.0, 2}}}) == Errors{0, 1, 1, 2});
    // As many pairs as possible: the first could take the detection that the second needs.
    const std::vector close = {strongRecording(10.0, {{1.0, 2.0, 0}, {1.1, 2.1, 1}})};
    CHECK(eventErrors(close, 4, Lists{{{0.85, 1.85, 2}, {1.05, 2.05, 3}}}) == Errors{2, 0, 0, 2});
    CHECK(std::isnan(eventErrors(std::vector{strongRecording(9.0, {})}, 3, Lists{{{1.0, 2.0, 0}}}).rate()));
    auto weak = recordings;
    weak.front().strong = false;
    CHECK(eventErrors(weak, 3, Lists{{{1.0, 2.0, 0}}}) == Errors{});
}

TEST_CASE("the offset's share is of the annotated event", "[unit]") {
    const std::vector recordings = {strongRecording(30.0, {{0.0, 2.0, 0}})};
    // Off by 0.5 s: 20 % of the detection's 2.5 s would let it in, 20 % of the annotation's 2 s does not.
    CHECK(eventCounts(recordings, 1, Lists{{{0.0, 2.5, 0}}}).front().truePositives == 0);
    CHECK(eventCounts(recordings, 1, Lists{{{0.0, 2.4, 0}}}).front().truePositives == 1);
    CHECK(eventCounts(recordings, 1, Lists{{{0.0, 9.0, 0}}}, {.checkOffset = false}).front().truePositives ==
          1);
}

TEST_CASE("a detection beyond the collar is wrong, at its edge right", "[unit]") {
    for (const double onset : {1.0, 100.0, 1e4}) {
        const std::vector recordings = {strongRecording(2e4, {{onset, onset + 0.5, 0}})};
        for (const double sign : {-1.0, 1.0}) {
            const auto at = [&](double shift) {
                return eventCounts(recordings, 1,
                                   Lists{{{onset + sign * shift, onset + 0.5 + sign * shift, 0}}})
                    .front();
            };
            CHECK(at(0.2) == Counts{1, 0, 0});
            CHECK(at(0.201) == Counts{0, 1, 1});
        }
    }
}

TEST_CASE("as many events as possible are paired, each once", "[unit]") {
    // The detection at 1.15 fits both, the one at 0.85 only the first: taking the first that fits would lose.
    const std::vector recordings = {strongRecording(3.0, {{1.0, 1.1, 0}, {1.3, 1.4, 0}})};
    CHECK(eventCounts(recordings, 1, Lists{{{0.85, 1.1, 0}, {1.15, 1.4, 0}}}) ==
          std::vector<Counts>{{2, 0, 0}});
    CHECK(eventCounts(recordings, 1, Lists{{{1.05, 1.2, 0}, {1.06, 1.2, 0}, {1.07, 1.2, 0}}}) ==
          std::vector<Counts>{{1, 2, 1}});
}

TEST_CASE("a matching is the largest there is", "[unit]") {
    std::mt19937 generator(5);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::vector<std::size_t>> edges(generator() % 7u);
        const std::size_t rightCount = 1 + generator() % 7u;
        for (auto& list : edges)
            for (std::size_t right = 0; right < rightCount; ++right)
                if (generator() % 3u == 0) list.push_back(right);
        CHECK(largestMatching(edges, rightCount) == bestByTrying(edges, 0, 0));
    }
}

TEST_CASE("long chains are matched whole", "[unit]") {
    // Vertex i may take i or i + 1, and the last only what the first would like.
    constexpr std::size_t count = 20000;
    std::vector<std::vector<std::size_t>> edges;
    for (std::size_t i = 0; i < count; ++i) edges.push_back({i, i + 1});
    edges.push_back({0});
    CHECK(largestMatching(edges, count + 1) == count + 1);
}

TEST_CASE("a false alarm touches no sound of its class", "[unit]") {
    const std::vector recordings = {strongRecording(10.0, {{2.0, 4.0, 0}}), strongRecording(5.0, {})};
    const Lists detections = {{{0.0, 2.0, 0}, {3.9, 8.0, 0}, {2.0, 4.0, 1}}, {{1.0, 2.0, 0}}};
    CHECK(falseAlarms(recordings, detections) == 3);
    auto weak = recordings;
    weak[0].strong = false;
    CHECK(falseAlarms(weak, detections) == 1);
}
