#include "Core/Detection/Timeline.h"

#include "Support/Catch.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace earshot;
using detection::Timeline;

TEST_CASE("Overlapping windows are averaged where they overlap", "[unit]") {
    constexpr int classes = 3;
    constexpr int windowColumns = 8;
    std::mt19937 random(5);
    Timeline timeline(classes, 0.32);
    std::vector<double> sums;
    std::vector<int> counts;
    for (int first = 0; first < 1000;) { // more than a few chunks
        std::vector<float> window(windowColumns * classes);
        for (float& p : window) p = static_cast<float>(random() % 10001) / 10000.0f;
        timeline.add(first, window);
        sums.resize(static_cast<std::size_t>(first + windowColumns) * classes);
        counts.resize(static_cast<std::size_t>(first + windowColumns));
        for (std::size_t i = 0; i < window.size(); ++i)
            sums[static_cast<std::size_t>(first) * classes + i] += window[i];
        for (int i = 0; i < windowColumns; ++i) ++counts[static_cast<std::size_t>(first + i)];
        const int hop = 1 + static_cast<int>(random() % windowColumns);
        timeline.settle(first + 1);
        first += hop;
    }
    REQUIRE(timeline.columns() == static_cast<std::int64_t>(counts.size()));
    std::vector<float> row(counts.size());
    for (int c = 0; c < classes; ++c) {
        timeline.row(c, 0, row);
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const float value = timeline.column(static_cast<std::int64_t>(i))[static_cast<std::size_t>(c)];
            REQUIRE(std::abs(value - sums[i * classes + static_cast<std::size_t>(c)] / counts[i]) <= 1e-6);
            REQUIRE(row[i] == value);
        }
    }
}

TEST_CASE("Provisional columns are replaced, not averaged", "[unit]") {
    Timeline timeline(1, 0.32);
    timeline.setProvisional(0, std::vector<float>{0.9f, 0.9f});
    REQUIRE(timeline.columns() == 2);
    REQUIRE(timeline.provisional(1));
    timeline.setProvisional(0, std::vector<float>{0.7f, 0.7f, 0.7f, 0.7f});
    REQUIRE(timeline.columns() == 4);
    REQUIRE(timeline.column(1)[0] == 0.7f);

    timeline.add(0, std::vector<float>{0.2f, 0.2f});
    REQUIRE(timeline.column(0)[0] == 0.2f);
    REQUIRE_FALSE(timeline.provisional(1));
    REQUIRE(timeline.provisional(2));
    timeline.add(1, std::vector<float>{0.4f, 0.4f, 0.4f, 0.4f});
    REQUIRE(timeline.columns() == 5);
    REQUIRE(timeline.column(1)[0] == Approx(0.3f));
    REQUIRE(timeline.column(2)[0] == 0.4f);
    REQUIRE(timeline.settled() == 0);
}

TEST_CASE("Columns span 0.32 s each and end with the recording", "[unit]") {
    Timeline timeline(1, 0.32);
    timeline.add(0, std::vector<float>{0.1f, 0.2f, 0.3f});
    REQUIRE_FALSE(timeline.duration());
    REQUIRE(timeline.end(2) == Approx(0.96));
    timeline.settle(1);
    REQUIRE(timeline.settled() == 1);
    timeline.finish(0.9);
    REQUIRE(timeline.settled() == 3);
    REQUIRE(timeline.duration().value() == 0.9);
    REQUIRE(timeline.start(2) == Approx(0.64));
    REQUIRE(timeline.end(1) == Approx(0.64));
    REQUIRE(timeline.end(2) == 0.9);

    timeline.reset();
    REQUIRE(timeline.columns() == 0);
    REQUIRE(timeline.settled() == 0);
    REQUIRE_FALSE(timeline.duration());
    timeline.add(0, std::vector<float>{0.5f});
    REQUIRE(timeline.column(0)[0] == 0.5f);
}

TEST_CASE("Growing leaves kept columns where they are", "[unit]") {
    Timeline timeline(2, 0.32);
    timeline.add(0, std::vector<float>{0.1f, 0.2f});
    const float* first = timeline.column(0).data();
    for (int i = 1; i < 5000; ++i) timeline.add(i, std::vector<float>{0.3f, 0.4f});
    REQUIRE(timeline.column(0).data() == first);
    REQUIRE(timeline.column(4999)[1] == 0.4f);
}
