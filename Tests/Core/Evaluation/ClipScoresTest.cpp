#include "Core/Evaluation/ClipScores.h"
#include "Support/Catch.h"

#include <algorithm>

using namespace earshot::evaluation;

namespace {

Scored clip(std::vector<int> labels, std::vector<float> probabilities) {
    Scored recording;
    recording.strong = false;
    recording.clip = true;
    recording.duration = 1.0;
    recording.labels = std::move(labels);
    recording.probabilities = std::move(probabilities);
    return recording;
}

} // namespace

TEST_CASE("average precision is as worked by hand", "[unit]") {
    // Ranked: right, wrong, right, wrong: (1/1 + 2/3) / 2.
    const std::vector clips = {clip({0}, {0.7f, 0.1f, 0.3f, 0.2f}), clip({1}, {0.8f, 0.5f}),
                               clip({0}, {0.9f, 0.5f}), clip({}, {0.6f, 0.5f})};
    REQUIRE(averagePrecision(clips, 0, 2));
    CHECK(*averagePrecision(clips, 0, 2) == Approx((1.0 + 2.0 / 3.0) / 2.0));
    // Class 1 ranks last of those that share 0.5: precision 1 of 3.
    CHECK(*averagePrecision(clips, 1, 2) == Approx(1.0 / 3.0));
    CHECK(!averagePrecision(std::vector{clips[3]}, 0, 2));
}

TEST_CASE("average precision does not depend on the order of clips", "[unit]") {
    std::vector clips = {clip({0}, {0.5f}), clip({}, {0.5f}), clip({0}, {0.2f}), clip({}, {0.4f}),
                         clip({}, {0.5f})};
    const double expected = *averagePrecision(clips, 0, 1);
    for (int i = 0; i < 5; ++i) {
        std::ranges::rotate(clips, clips.begin() + 1);
        CHECK(*averagePrecision(clips, 0, 1) == Approx(expected));
    }
    CHECK(expected == Approx((1.0 / 3.0 + 2.0 / 5.0) / 2.0));
}

TEST_CASE("clip accuracy is among the classes that occur", "[unit]") {
    // (columns, classes) = (2, 3). Class 2 occurs in no clip and is not in the running.
    const std::vector clips = {clip({0}, {0.8f, 0.1f, 1.0f, 0.1f, 0.5f, 1.0f}), // peak 0, mean 0
                               clip({1}, {0.7f, 0.5f, 1.0f, 0.1f, 0.5f, 1.0f}), // peak 0, mean 1
                               clip({0, 1}, {0.1f, 0.9f, 0.0f, 0.1f, 0.9f, 0.0f})};
    const auto byPeak = clipAccuracy(clips, 3, ClipScore::peak);
    CHECK(byPeak.clips == 2);
    CHECK(byPeak.right == 1);
    CHECK(byPeak.confusion == std::vector<std::vector<std::int64_t>>{{1, 0, 0}, {1, 0, 0}, {0, 0, 0}});
    const auto byMean = clipAccuracy(clips, 3, ClipScore::mean);
    CHECK(byMean.accuracy() == Approx(1.0));
    CHECK(clipAccuracy({}, 3, ClipScore::peak).accuracy() == 0.0);
}

TEST_CASE("a clip's scores are the peak and the mean of its columns", "[unit]") {
    const auto one = clip({}, {0.2f, 0.6f, 0.4f, 0.0f});
    CHECK(clipScores(one, 2, ClipScore::peak) == std::vector<float>{0.4f, 0.6f});
    const auto mean = clipScores(one, 2, ClipScore::mean);
    CHECK(mean[0] == Approx(0.3f));
    CHECK(mean[1] == Approx(0.3f));
    CHECK(clipScores(clip({}, {}), 2, ClipScore::mean) == std::vector<float>{0.0f, 0.0f});
}
