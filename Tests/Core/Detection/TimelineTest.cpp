#include "Core/Detection/Timeline.h"

#include "Core/Base/Float16.h"
#include "Support/Catch.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace earshot;
using detection::Timeline;

TEST_CASE("Overlapping windows are averaged where they overlap, by weight", "[unit]") {
    constexpr int classes = 3;
    constexpr int windowColumns = 8;
    std::mt19937 random(5);
    Timeline timeline(classes, 0.32);
    std::vector<double> sums, weightSums;
    for (int first = 0; first < 1000;) { // more than a few chunks
        std::vector<float> window(windowColumns * classes);
        for (float& p : window) p = static_cast<float>(random() % 10001) / 10000.0f;
        std::vector<float> weights(windowColumns, 1.0f);
        for (float& weight : weights) weight = 0.01f * static_cast<float>(1 + random() % 100);
        const bool weighted = random() % 2 == 0;
        if (weighted)
            timeline.add(first, window, weights);
        else
            timeline.add(first, window);
        sums.resize(static_cast<std::size_t>(first + windowColumns) * classes);
        weightSums.resize(static_cast<std::size_t>(first + windowColumns));
        for (std::size_t i = 0; i < windowColumns; ++i) {
            const double weight = weighted ? static_cast<double>(weights[i]) : 1.0;
            const auto column = static_cast<std::size_t>(first) + i;
            weightSums[column] += weight;
            for (std::size_t c = 0; c < classes; ++c)
                sums[column * classes + c] += weight * static_cast<double>(window[i * classes + c]);
        }
        const int hop = 1 + static_cast<int>(random() % windowColumns);
        timeline.settle(first + 1);
        first += hop;
    }
    REQUIRE(timeline.columns() == static_cast<std::int64_t>(weightSums.size()));
    std::vector<float> row(weightSums.size());
    for (int c = 0; c < classes; ++c) {
        timeline.row(c, 0, row);
        for (std::size_t i = 0; i < weightSums.size(); ++i) {
            const float value = timeline.column(static_cast<std::int64_t>(i))[static_cast<std::size_t>(c)];
            REQUIRE(std::abs(value - sums[i * classes + static_cast<std::size_t>(c)] / weightSums[i]) <=
                    1e-6);
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

namespace {

void requireEqual(const Timeline& mirror, const Timeline& original) {
    REQUIRE(mirror.generation() == original.generation());
    REQUIRE(mirror.classes() == original.classes());
    REQUIRE(mirror.secondsPerColumn() == original.secondsPerColumn());
    REQUIRE(mirror.columns() == original.columns());
    REQUIRE(mirror.settled() == original.settled());
    REQUIRE(mirror.duration() == original.duration());
    REQUIRE(mirror.firstKept() == original.firstKept());
    REQUIRE(mirror.rounded() == original.rounded());
    for (std::int64_t i = original.firstKept(); i < original.columns(); ++i) {
        REQUIRE(std::ranges::equal(mirror.column(i), original.column(i)));
        REQUIRE(mirror.provisional(i) == original.provisional(i));
    }
}

} // namespace

TEST_CASE("A mirror equals its timeline after every copy, whatever was written in between", "[unit]") {
    std::mt19937 random(8);
    const auto below = [&](std::int64_t limit) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
    };
    constexpr int classes = 3;
    Timeline timeline(classes, 0.32);
    Timeline mirror(1, 1.0); // of something else so far
    std::int64_t forgotten = 0;
    for (int step = 0; step < 3000; ++step) {
        std::vector<float> window(static_cast<std::size_t>(1 + below(40)) * classes);
        for (float& p : window) p = static_cast<float>(below(1000)) / 1000.0f;
        const std::int64_t open = timeline.columns() - timeline.settled();
        const std::int64_t first = timeline.settled() + below(open + 1);
        switch (below(8)) {
        case 0:
            timeline.setProvisional(first, window);
            break;
        case 1:
            if (open > 0) timeline.settle(timeline.settled() + below(open + 1));
            break;
        case 2:
            if (below(60) == 0) timeline.reset();
            if (below(60) == 0) timeline.finish(static_cast<double>(timeline.columns()) * 0.32 - 0.1);
            break;
        case 4:
            timeline.round(below(timeline.settled() + 1));
            timeline.forget(below(timeline.settled() + 1));
            forgotten = std::max(forgotten, timeline.firstKept());
            break;
        case 3:
            timeline.add(first + below(2) * below(50), window); // perhaps after a gap
            break;
        default:
            timeline.add(first, window);
        }
        if (below(10) != 0) continue;
        timeline.copySince(mirror);
        requireEqual(mirror, timeline);
        REQUIRE_FALSE(timeline.copySince(mirror));
    }
    REQUIRE(forgotten > 1000);
}

TEST_CASE("Whole chunks of what is settled are forgotten, and nothing else", "[unit]") {
    Timeline timeline(1, 0.32);
    Timeline mirror(1, 0.32);
    const auto value = [](std::int64_t column) { return static_cast<float>(column) / 5000.0f; };
    for (std::int64_t i = 0; i < 5000; ++i) {
        timeline.add(i, std::vector<float>{value(i)});
        timeline.settle(i);
        if (i % 1000 == 999) timeline.copySince(mirror);
        timeline.forget(i - 300);
        REQUIRE(timeline.columns() - timeline.firstKept() <= 300 + 256 + 1);
        for (std::int64_t kept = std::max<std::int64_t>(0, i - 300); kept <= i; kept += 37)
            REQUIRE(timeline.column(kept)[0] == value(kept));
    }
    timeline.copySince(mirror);
    requireEqual(mirror, timeline);
    timeline.reset();
    REQUIRE(timeline.firstKept() == 0);
    timeline.add(0, std::vector<float>{1.0f});
    timeline.copySince(mirror);
    requireEqual(mirror, timeline);
}

TEST_CASE("A mirror keeps what it has while its timeline goes on or starts anew", "[unit]") {
    Timeline timeline(1, 0.32);
    for (int i = 0; i < 600; ++i) timeline.add(i, std::vector<float>{static_cast<float>(i) / 600.0f});
    timeline.settle(590);
    Timeline mirror(1, 0.32);
    REQUIRE(timeline.copySince(mirror));
    // Settled chunks are shared, not copied.
    REQUIRE(mirror.column(100).data() == timeline.column(100).data());
    REQUIRE(mirror.column(595).data() != timeline.column(595).data());
    timeline.add(595, std::vector<float>{1.0f});
    REQUIRE(mirror.column(595)[0] == 595.0f / 600.0f);
    timeline.reset();
    timeline.add(0, std::vector<float>{0.9f});
    REQUIRE(mirror.columns() == 600);
    REQUIRE(mirror.column(0)[0] == 0.0f);
    REQUIRE(timeline.copySince(mirror));
    requireEqual(mirror, timeline);
}

TEST_CASE("Rounded columns are the nearest float16, and half as large", "[unit]") {
    constexpr int classes = 40;
    Timeline timeline(classes, 0.32);
    Timeline mirror(classes, 0.32);
    std::mt19937 random(12);
    std::vector<float> exact;
    for (int i = 0; i < 2000; ++i) {
        std::vector<float> column(classes);
        for (float& p : column) p = static_cast<float>(random() % 100'001) / 100'000.0f;
        exact.insert(exact.end(), column.begin(), column.end());
        timeline.add(i, column);
        timeline.settle(i);
        if (random() % 100 == 0) timeline.copySince(mirror);
    }
    const auto before = timeline.bytes();
    REQUIRE(before >= 2000 * classes * 4);
    timeline.round(1000);
    REQUIRE(timeline.rounded() == 768);
    REQUIRE(before - timeline.bytes() == 768 * classes * 2);
    REQUIRE(mirror.rounded() == 0);
    REQUIRE(timeline.copySince(mirror));
    REQUIRE_FALSE(timeline.copySince(mirror));
    REQUIRE(mirror.bytes() == timeline.bytes());
    requireEqual(mirror, timeline);
    std::vector<float> row(2000);
    for (int c = 0; c < classes; ++c) {
        timeline.row(c, 0, row);
        for (int i = 0; i < 2000; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const float value = exact[at * classes + static_cast<std::size_t>(c)];
            REQUIRE(row[at] == (i < 768 ? fromFloat16(toFloat16(value)) : value));
            REQUIRE(std::abs(row[at] - value) <= 0.00025f);
            REQUIRE(timeline.column(i)[static_cast<std::size_t>(c)] == row[at]);
        }
    }
    timeline.forget(900);
    REQUIRE(timeline.firstKept() == 768);
    REQUIRE(timeline.copySince(mirror));
    requireEqual(mirror, timeline);
}

TEST_CASE("A timeline that another one continues in may forget what was settled", "[unit]") {
    std::mt19937 random(13);
    Timeline source(2, 0.32);
    Timeline whole(2, 0.32);
    Timeline kept(2, 0.32);
    for (std::int64_t settled = 0; settled < 3000;) {
        std::vector<float> window(16);
        for (float& p : window) p = static_cast<float>(random() % 1000) / 1000.0f;
        source.add(settled, window);
        whole.add(settled, window);
        settled += 1 + static_cast<std::int64_t>(random() % 7);
        source.settle(settled);
        whole.settle(settled);
        source.continueIn(kept);
        source.forget(settled);
    }
    REQUIRE(source.firstKept() > 2000);
    REQUIRE(kept.firstKept() == 0);
    REQUIRE(kept.columns() == whole.columns());
    for (std::int64_t i = 0; i < whole.columns(); ++i)
        REQUIRE(std::ranges::equal(kept.column(i), whole.column(i)));
    source.reset();
    source.continueIn(kept);
    REQUIRE(kept.columns() == 0);
}

TEST_CASE("Columns that windows skipped are zeros", "[unit]") {
    Timeline timeline(2, 0.32);
    timeline.add(0, std::vector<float>{0.1f, 0.2f});
    timeline.add(3, std::vector<float>{0.3f, 0.4f});
    REQUIRE(timeline.columns() == 4);
    for (const std::int64_t skipped : {1, 2}) {
        REQUIRE(timeline.provisional(skipped));
        for (const float p : timeline.column(skipped)) REQUIRE(p == 0.0f);
    }
    timeline.settle(4);
    REQUIRE_FALSE(timeline.provisional(1));
}
