#include "Core/Detection/Events/Events.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Timeline.h"
#include "Support/Catch.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

using namespace earshot;
using namespace earshot::detection;

namespace {

using Row = std::vector<float>;

// One row of probabilities for each class; a column lasts one second.
Timeline timelineOf(const std::vector<Row>& rows) {
    Timeline timeline(static_cast<int>(rows.size()), 1.0);
    for (std::size_t i = 0; i < rows[0].size(); ++i) {
        std::vector<float> column;
        for (const Row& row : rows) column.push_back(row[i]);
        timeline.add(static_cast<std::int64_t>(i), column);
    }
    return timeline;
}

EventList derive(const Row& row, const EventRule& rule) {
    return deriveEvents(timelineOf({row}), {rule, {}});
}

constexpr EventRule halfRule{.on = 0.5f, .off = 0.3f};

} // namespace

TEST_CASE("An event spans the columns at or above off around one at or above on", "[unit]") {
    const auto list = derive({0.1f, 0.3f, 0.5f, 0.4f, 0.29f, 0.49f, 0.0f}, halfRule);
    REQUIRE(list.events.size() == 1);
    const Event& event = list.events[0];
    REQUIRE(event.classIndex == 0);
    REQUIRE(event.onset == 1.0);
    REQUIRE(event.offset == 4.0);
    REQUIRE(event.peak == 0.5f);
    REQUIRE(event.mean == Approx(0.4f));

    REQUIRE(list.nearMisses.size() == 1);
    const NearMiss& miss = list.nearMisses[0];
    REQUIRE(miss.reason == Rejection::belowThreshold);
    REQUIRE(miss.event.onset == 5.0);
    REQUIRE(miss.event.offset == 6.0);
    REQUIRE(explain(miss) == "Not an event: 0.49 is below the threshold 0.50");
}

TEST_CASE("Events reach to both ends of the recording and no further", "[unit]") {
    auto timeline = timelineOf({{0.9f, 0.1f, 0.1f, 0.9f}});
    timeline.finish(3.25);
    const auto list = deriveEvents(timeline, {halfRule, {}});
    REQUIRE(list.events.size() == 2);
    REQUIRE(list.events[0].onset == 0.0);
    REQUIRE(list.events[0].offset == 1.0);
    REQUIRE(list.events[1].onset == 3.0);
    REQUIRE(list.events[1].offset == 3.25);
}

TEST_CASE("Gaps shorter than mergeGap are closed before short events are dropped", "[unit]") {
    const Row row = {0.8f, 0.35f, 0.2f, 0.6f, 0.1f, 0.1f, 0.7f};
    auto rule = halfRule;
    rule.minDuration = 1.5;
    auto list = derive(row, rule);
    REQUIRE(list.events.size() == 1); // 0 to 2
    REQUIRE(list.nearMisses.size() == 2);
    REQUIRE(list.nearMisses[1].reason == Rejection::tooShort);
    REQUIRE(explain(list.nearMisses[1]) ==
            "Not an event: 1.00 s is shorter than the minimum duration 1.50 s");

    rule.mergeGap = 1.0; // a gap of exactly 1 s stays
    list = derive(row, rule);
    REQUIRE(list.events.size() == 1);
    REQUIRE(list.events[0].offset == 2.0);
    rule.mergeGap = 1.01;
    list = derive(row, rule);
    REQUIRE(list.events.size() == 1);
    REQUIRE(list.events[0].offset == 4.0);
    REQUIRE(list.events[0].peak == 0.8f);
    REQUIRE(list.events[0].mean == Approx((0.8f + 0.35f + 0.2f + 0.6f) / 4.0f));
    rule.mergeGap = 2.5;
    list = derive(row, rule);
    REQUIRE(list.events.size() == 1);
    REQUIRE(list.events[0].offset == 7.0);
    REQUIRE(list.nearMisses.empty());
}

TEST_CASE("An event as long as the minimum duration is one, in decimal seconds", "[unit]") {
    for (int columns = 1; columns < 60; ++columns) {
        CAPTURE(columns);
        Timeline timeline(1, 0.32);
        timeline.add(0, Row{0.0f, 0.0f, 0.0f});
        timeline.add(3, Row(static_cast<std::size_t>(columns), 0.9f));
        timeline.add(3 + columns, Row{0.0f});
        auto rule = halfRule;
        rule.minDuration = 32 * columns / 100.0;
        REQUIRE(deriveEvents(timeline, {rule, {}}).events.size() == 1);
        rule.minDuration += 0.01;
        REQUIRE(deriveEvents(timeline, {rule, {}}).events.empty());
    }
}

TEST_CASE("A near miss in a closed gap is part of the event", "[unit]") {
    auto rule = halfRule;
    rule.mergeGap = 10.0;
    const auto list = derive({0.9f, 0.1f, 0.4f, 0.1f, 0.9f}, rule);
    REQUIRE(list.events.size() == 1);
    REQUIRE(list.nearMisses.empty());
}

TEST_CASE("The median filter removes single columns and says so", "[unit]") {
    auto rule = halfRule;
    rule.median = 3;
    const auto list = derive({0.0f, 0.0f, 0.82f, 0.21f, 0.0f, 0.6f, 0.9f, 0.7f, 0.1f, 0.1f}, rule);
    REQUIRE(list.events.size() == 1);
    REQUIRE(list.events[0].onset == 5.0);
    REQUIRE(list.events[0].offset == 8.0);
    REQUIRE(list.events[0].peak == 0.9f); // not the filtered 0.7
    REQUIRE(list.nearMisses.size() == 1);
    REQUIRE(list.nearMisses[0].reason == Rejection::filtered);
    REQUIRE(list.nearMisses[0].event.onset == 2.0);
    REQUIRE(explain(list.nearMisses[0]) ==
            "Not an event: the median filter leaves 0.21 of the peak 0.82, below the threshold 0.50");
}

TEST_CASE("A run that is a near miss twice over is told once", "[unit]") {
    auto rule = halfRule;
    rule.median = 3;
    // Before the filter it reaches 0.9; after it 0.4 for three columns.
    const auto list = derive({0.0f, 0.4f, 0.4f, 0.9f, 0.4f, 0.4f, 0.0f, 0.0f}, rule);
    REQUIRE(list.events.empty());
    REQUIRE(list.nearMisses.size() == 1);
    REQUIRE(list.nearMisses[0].reason == Rejection::filtered);
    REQUIRE(list.nearMisses[0].found == 0.4f);
}

TEST_CASE("Explanations never compare a number with itself", "[unit]") {
    NearMiss miss{.event = {}, .reason = Rejection::belowThreshold, .found = 0.4999, .required = 0.5};
    REQUIRE(explain(miss) == "Not an event: 0.4999 is below the threshold 0.5000");
    miss.found = 0.46;
    REQUIRE(explain(miss) == "Not an event: 0.46 is below the threshold 0.50");
}

TEST_CASE("Classes have their own rules, and events come by onset, then class", "[unit]") {
    std::vector<Row> rows(40, Row{0.1f, 0.0f, 0.2f, 0.1f});
    rows[3] = {0.0f, 0.6f, 0.6f, 0.0f};
    rows[17] = {0.2f, 0.2f, 0.0f, 0.0f};
    rows[39] = {0.0f, 0.9f, 0.0f, 0.9f};
    EventSettings settings{halfRule, {{17, {.on = 0.15f, .off = 0.1f}}, {3, {.on = 0.7f, .off = 0.7f}}}};
    const auto list = deriveEvents(timelineOf(rows), settings);
    REQUIRE(list.nearMisses.empty()); // class 3 stays below its own off
    REQUIRE(list.events.size() == 3);
    REQUIRE(list.events[0].classIndex == 17);
    REQUIRE(list.events[1].classIndex == 39);
    REQUIRE(list.events[2].classIndex == 39);
    REQUIRE(list.events[2].onset == 3.0);

    settings.overrides.erase(3);
    settings.overrides.erase(17);
    const auto plain = deriveEvents(timelineOf(rows), settings);
    REQUIRE(plain.events.size() == 3);
    REQUIRE(plain.events[0].classIndex == 3);
    REQUIRE(plain.events[1].classIndex == 39); // same onset
}

TEST_CASE("Raising a threshold never lengthens what is heard", "[unit]") {
    std::mt19937 random(9);
    const auto unit = [&] { return static_cast<float>(random() % 1001) / 1000.0f; };
    const auto total = [](const EventList& list) {
        double seconds = 0.0;
        for (const Event& event : list.events) seconds += event.offset - event.onset;
        return seconds;
    };
    int shortened = 0;
    for (int round = 0; round < 300; ++round) {
        Row row(60);
        for (float& p : row) p = unit();
        const auto timeline = timelineOf({row});
        EventRule rule{.on = unit(),
                       .off = 0.0f,
                       .median = 1 + 2 * static_cast<int>(random() % 4),
                       .minDuration = static_cast<double>(random() % 4),
                       .mergeGap = static_cast<double>(random() % 4)};
        rule.off = rule.on * unit();
        EventRule higher = rule;
        higher.on = std::min(1.0f, rule.on + 0.3f * unit());
        higher.off = std::min(higher.on, rule.off + 0.3f * unit());
        const double before = total(deriveEvents(timeline, {rule, {}}));
        const double after = total(deriveEvents(timeline, {higher, {}}));
        REQUIRE(after <= before);
        if (after < before) ++shortened;
    }
    REQUIRE(shortened > 100);
}

TEST_CASE("Events keep their rules on random rows", "[unit]") {
    std::mt19937 random(10);
    for (int round = 0; round < 200; ++round) {
        Row row(80);
        for (float& p : row) p = static_cast<float>(random() % 1001) / 1000.0f;
        const EventRule rule{.on = 0.7f, .off = 0.4f, .minDuration = 2.0, .mergeGap = 2.0};
        const auto list = derive(row, rule);
        double previousEnd = -10.0;
        for (const Event& event : list.events) {
            REQUIRE(event.onset - previousEnd >= rule.mergeGap);
            REQUIRE(event.offset - event.onset >= rule.minDuration);
            REQUIRE(event.peak >= rule.on);
            REQUIRE(event.mean <= event.peak);
            previousEnd = event.offset;
            const auto first = static_cast<std::size_t>(event.onset);
            const auto last = static_cast<std::size_t>(event.offset) - 1;
            REQUIRE((row[first] >= rule.off && row[last] >= rule.off));
            REQUIRE((first == 0 || row[first - 1] < rule.off));
            REQUIRE((last + 1 == row.size() || row[last + 1] < rule.off));
        }
        // Every column that reaches `on` is in an event, or in one that was too short.
        for (std::size_t i = 0; i < row.size(); ++i) {
            const auto holds = [&](const Event& e) {
                return e.onset <= static_cast<double>(i) && static_cast<double>(i) < e.offset;
            };
            if (row[i] < rule.on) continue;
            REQUIRE((std::ranges::any_of(list.events, holds) ||
                     std::ranges::any_of(list.nearMisses, [&](const NearMiss& m) {
                         return m.reason == Rejection::tooShort && holds(m.event);
                     })));
        }
    }
}

TEST_CASE("Rules that make no sense are refused", "[unit]") {
    const auto refused = [](EventRule rule) {
        REQUIRE_THROWS_AS(validate(rule), Error);
        REQUIRE_THROWS_AS(deriveEvents(timelineOf({{0.5f}}), {EventRule{}, {{0, rule}}}), Error);
    };
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    refused({.on = 0.3f, .off = 0.4f});
    refused({.on = nan});
    refused({.off = nan});
    refused({.on = 1.1f});
    refused({.off = -0.1f});
    refused({.median = 2});
    refused({.median = 0});
    refused({.median = -1});
    refused({.minDuration = -1.0});
    refused({.minDuration = std::numeric_limits<double>::infinity()});
    refused({.mergeGap = -1.0});
    refused({.mergeGap = std::numeric_limits<double>::quiet_NaN()});
    REQUIRE_NOTHROW(validate({.on = 0.4f, .off = 0.4f, .median = 7}));
}

TEST_CASE("An empty timeline has no events", "[unit]") {
    Timeline timeline(5, 0.32);
    timeline.finish(0.0);
    const auto list = deriveEvents(timeline, {});
    REQUIRE((list.events.empty() && list.nearMisses.empty()));
}
