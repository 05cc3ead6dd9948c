#include "Core/Evaluation/EventScores.h"
#include "Core/Evaluation/Scenes.h"
#include "Support/Catch.h"

using namespace earshot::evaluation;
using earshot::test::strongRecording;

namespace {

using Lists = std::vector<std::vector<Annotation>>; // one per recording

// Two classes in 4.5 s. What is active in each second (A annotated, D detected):
//
//     second    0    1    2    3    4
//     class 0   A    AD   AD   -    -      annotated 0.5 to 2.1, detected 1.0 to 3.0
//     class 1   D    -    -    A    A      annotated 3.9 to 4.5, detected 0.2 to 0.4
const Scored recording = strongRecording(4.5, {{0.5, 2.1, 0}, {3.9, 4.5, 1}});
const Lists detections = {{{0.2, 0.4, 1}, {1.0, 3.0, 0}}};

} // namespace

TEST_CASE("segments count as worked by hand", "[unit]") {
    const auto counts = segmentCounts(std::vector{recording}, 2, detections);
    CHECK(counts == std::vector<Counts>{{2, 0, 1}, {0, 1, 2}});
    CHECK(total(counts).f1() == Approx(0.5));            // 2 * 2 / (2 * 2 + 1 + 3)
    CHECK(macroF1(counts) == Approx((0.8 + 0.0) / 2.0)); // class 0: 4 / 5
    // Second 0 has one for the other, seconds 3 and 4 lack one each.
    CHECK(segmentErrors(std::vector{recording}, 2, detections) == Errors{1, 2, 0, 5});
}

TEST_CASE("confusion counts as worked by hand", "[unit]") {
    const auto table = confusion(std::vector{recording}, 2, detections);
    // Second 0: class 0 was taken for class 1. Seconds 1 and 2 are right. Seconds 3 and 4: class 1 missed.
    CHECK(table == Confusion{{2, 1, 0}, {0, 0, 2}, {0, 0, 0}});
    const auto alarm = confusion(std::vector{strongRecording(2.0, {})}, 2, Lists{{{1.0, 1.5, 1}}});
    CHECK(alarm == Confusion{{0, 0, 0}, {0, 0, 0}, {0, 1, 0}});
}

TEST_CASE("segments end where decimal seconds say", "[unit]") {
    // 25 columns of 0.32 s are 8 s, whatever the rounding of their sum.
    double end = 0.0;
    for (int i = 0; i < 25; ++i) end += 0.32;
    const auto counts =
        segmentCounts(std::vector{strongRecording(end, {{7.0, end, 0}})}, 1, Lists{{{6.0, end, 0}}});
    CHECK(counts == std::vector<Counts>{{1, 1, 0}});
}

TEST_CASE("recordings without times count for nothing in segments", "[unit]") {
    Scored weak = recording;
    weak.strong = false;
    CHECK(total(segmentCounts(std::vector{weak}, 2, detections)) == Counts{});
    CHECK(segmentErrors(std::vector{weak}, 2, detections) == Errors{});
}

TEST_CASE("what lies beyond a recording is no segment of it", "[unit]") {
    const auto counts =
        segmentCounts(std::vector{strongRecording(2.0, {{1.0, 9.0, 0}})}, 1, Lists{{{-3.0, 7.0, 0}}});
    CHECK(counts == std::vector<Counts>{{1, 1, 0}});
}
