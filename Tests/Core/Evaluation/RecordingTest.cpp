#include "Core/Evaluation/Recording.h"
#include "Support/Catch.h"

using namespace earshot::evaluation;

TEST_CASE("sounds of a class that overlap or touch are one", "[unit]") {
    const auto joined = joinOverlaps(
        {{4.0, 5.0, 1}, {1.0, 3.0, 0}, {2.0, 2.5, 0}, {3.0, 3.5, 0}, {3.2, 6.0, 1}, {3.6, 4.0, 0}});
    CHECK(joined == std::vector<Annotation>{{1.0, 3.5, 0}, {3.2, 6.0, 1}, {3.6, 4.0, 0}});
}

TEST_CASE("sounds of a class that are less than a gap apart are one", "[unit]") {
    const std::vector<Annotation> sounds = {
        {0.0, 1.0, 0}, {1.5, 2.0, 1}, {1.75, 2.0, 0}, {3.0, 4.0, 0}, {4.8, 5.0, 0}};
    CHECK(joinOverlaps(sounds, 0.5) == sounds);
    CHECK(joinOverlaps(sounds, 0.8) ==
          std::vector<Annotation>{{0.0, 2.0, 0}, {1.5, 2.0, 1}, {3.0, 4.0, 0}, {4.8, 5.0, 0}});
    CHECK(joinOverlaps(sounds, 1.1) == std::vector<Annotation>{{0.0, 5.0, 0}, {1.5, 2.0, 1}});
}

TEST_CASE("an annotated recording knows its labels", "[unit]") {
    Scored recording;
    recording.strong = false;
    annotate(recording, {{2.0, 3.0, 4}, {0.0, 1.0, 7}, {5.0, 6.0, 4}});
    CHECK(recording.strong);
    CHECK(recording.labels == std::vector<int>{4, 7});
    annotate(recording, {});
    CHECK(recording.labels.empty());
}

TEST_CASE("precision, recall and F1 of counts", "[unit]") {
    const Counts counts{.truePositives = 6, .falsePositives = 2, .falseNegatives = 4};
    CHECK(counts.precision() == Approx(0.75));
    CHECK(counts.recall() == Approx(0.6));
    CHECK(counts.f1() == Approx(2.0 * 0.75 * 0.6 / (0.75 + 0.6)));
    const Counts none;
    CHECK(none.precision() == 0.0);
    CHECK(none.recall() == 0.0);
    CHECK(none.f1() == 0.0);
}

TEST_CASE("macro F1 is over the classes that are annotated", "[unit]") {
    const std::vector<Counts> counts = {{3, 0, 0}, {0, 0, 0}, {0, 4, 0}, {1, 1, 1}};
    CHECK(macroF1(counts) == Approx((1.0 + 0.5) / 2.0));
    CHECK(macroF1(std::vector<Counts>{{0, 4, 0}}) == 0.0);
    CHECK(total(counts) == Counts{4, 5, 1});
    CHECK(macroF1(std::vector<Counts>(3)) == 0.0);
}
