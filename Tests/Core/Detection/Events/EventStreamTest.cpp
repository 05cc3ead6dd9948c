#include "Core/Detection/Events/EventStream.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Timeline.h"
#include "Support/Catch.h"
#include "Support/ReferenceEvents.h"

#include <random>

using namespace earshot;
using namespace earshot::detection;

namespace {

constexpr double columnSeconds = 0.32;

class Dice {
  public:
    explicit Dice(unsigned seed)
        : random_(seed) {}

    unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
    bool oneIn(unsigned limit) { return below(limit) == 0; }
    // 0 to 1; often of few different values, so that they equal thresholds and one another.
    float unit() {
        const unsigned steps = oneIn(2) ? 10 : 1000;
        return static_cast<float>(below(steps + 1)) / static_cast<float>(steps);
    }

  private:
    std::mt19937 random_;
};

EventRule randomRule(Dice& dice, unsigned maxMedian) {
    EventRule rule{.on = dice.unit(),
                   .median = dice.oneIn(3) ? 1 : 1 + 2 * static_cast<int>(dice.below(maxMedian / 2 + 1)),
                   .minDuration = dice.below(2) * dice.below(8) * columnSeconds,
                   .mergeGap = dice.below(2) * dice.below(dice.oneIn(5) ? 400 : 10) * columnSeconds};
    rule.off = dice.oneIn(8) ? 0.0f : rule.on * (dice.oneIn(8) ? 1.0f : dice.unit());
    return rule;
}

EventSettings randomSettings(Dice& dice, int classes) {
    const unsigned widest = dice.oneIn(4) ? 99 : 9;
    EventSettings settings{randomRule(dice, widest), {}};
    for (int c = 0; c < classes; ++c)
        if (dice.oneIn(2)) settings.overrides[c] = randomRule(dice, widest);
    return settings;
}

// Sounds that come, stay, flicker and go; some for longer than a timeline's chunk of 256 columns.
std::vector<std::vector<float>> randomColumns(Dice& dice, int classes, unsigned longest) {
    std::vector<std::vector<float>> columns(dice.below(longest));
    std::vector<float> level(static_cast<std::size_t>(classes));
    const unsigned steadiness = 2 + dice.below(dice.oneIn(3) ? 400 : 20);
    const unsigned flickering = 2 + dice.below(12);
    for (auto& column : columns)
        for (float& now : level) {
            if (dice.oneIn(steadiness)) now = dice.oneIn(2) ? 0.0f : dice.unit();
            column.push_back(dice.oneIn(flickering) ? dice.unit() * now : now);
        }
    return columns;
}

double randomEnd(Dice& dice, std::size_t columns) {
    const double cut[] = {0.0, 0.4, 0.5, 0.99};
    return (static_cast<double>(columns) - cut[dice.below(4)]) * columnSeconds;
}

} // namespace

TEST_CASE("events as columns come, and of the whole timeline, are those of plain loops, to the bit",
          "[unit]") {
    std::size_t events = 0;
    std::size_t misses[3] = {};
    std::int64_t longest = 0;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const int classes = 1 + static_cast<int>(dice.below(5));
        const auto columns = randomColumns(dice, classes, seed % 10 == 0 ? 3000 : 200);
        const auto settings = randomSettings(dice, classes);
        const double duration = columns.empty() ? 0.0 : randomEnd(dice, columns.size());

        Timeline timeline(classes, columnSeconds);
        EventStream stream(classes, columnSeconds, settings);
        EventStream withoutMisses(classes, columnSeconds, settings, {}, false);
        for (const auto& column : columns) {
            timeline.add(timeline.columns(), column);
            stream.add(column);
            withoutMisses.add(column);
        }
        timeline.finish(duration);
        const EventList expected = test::referenceEvents(timeline, settings);
        const EventList found = stream.finish(duration);
        REQUIRE(deriveEvents(timeline, settings) == expected);
        REQUIRE(found.events == expected.events);
        REQUIRE(found.nearMisses == expected.nearMisses);
        REQUIRE(withoutMisses.finish(duration) == EventList{expected.events, {}});

        events += expected.events.size();
        for (const Event& event : expected.events)
            longest =
                std::max(longest, std::int64_t{std::llround((event.offset - event.onset) / columnSeconds)});
        for (const NearMiss& miss : expected.nearMisses) ++misses[static_cast<int>(miss.reason)];
    }
    REQUIRE(events > 10'000);
    REQUIRE(longest > 2 * 256);
    for (const std::size_t count : misses) REQUIRE(count > 1'000);
}

TEST_CASE("events that are handed over as they are settled are all events, by onset unless one lasts",
          "[unit]") {
    std::size_t early = 0, unordered = 0, ordered = 0;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const int classes = 1 + static_cast<int>(dice.below(5));
        const auto columns = randomColumns(dice, classes, seed % 10 == 0 ? 3000 : 200);
        const auto settings = randomSettings(dice, classes);
        EventStream whole(classes, columnSeconds, settings, {}, false);
        EventStream live(classes, columnSeconds, settings, {}, false);
        std::vector<Event> handedOver;
        const auto take = [&](const std::vector<Event>& events) {
            REQUIRE(std::ranges::is_sorted(events, earlier));
            handedOver.insert(handedOver.end(), events.begin(), events.end());
        };
        for (const auto& column : columns) {
            whole.add(column);
            live.add(column);
            take(live.takeSettled());
        }
        early += handedOver.size();
        const double duration = static_cast<double>(columns.size()) * columnSeconds;
        take(live.finish(duration).events);
        const auto expected = whole.finish(duration).events;
        double longest = 0.0; // from an onset until the rules have settled the event
        for (const Event& event : expected) {
            const EventRule& rule = settings.ruleFor(event.classIndex);
            longest = std::max(longest, event.offset - event.onset + 2.0 * rule.mergeGap +
                                            rule.median * columnSeconds);
        }
        if (longest < EventStream::maxWait) {
            REQUIRE(handedOver == expected);
            if (expected.size() > 3) ++ordered;
        }
        if (handedOver != expected) ++unordered;
        std::ranges::sort(handedOver, earlier);
        REQUIRE(handedOver == expected);
    }
    REQUIRE(early > 5'000);
    REQUIRE(unordered > 10);
    REQUIRE(ordered > 5);
}

TEST_CASE("a sound that lasts holds up no event for long", "[unit]") {
    const EventSettings settings{{.on = 0.5f, .off = 0.5f}, {}};
    EventStream stream(2, columnSeconds, settings, {}, false);
    double handedOver = 0.0;
    for (int i = 0; i < 1000 && handedOver == 0.0; ++i) {
        stream.add(std::vector<float>{0.9f, i == 10 ? 0.9f : 0.0f}); // one that lasts, and one of a column
        if (const auto events = stream.takeSettled(); !events.empty()) {
            REQUIRE(events.size() == 1);
            REQUIRE(events.front().classIndex == 1);
            handedOver = static_cast<double>(stream.columns()) * columnSeconds;
        }
    }
    REQUIRE(handedOver >= 11 * columnSeconds + EventStream::maxWait);
    REQUIRE(handedOver < 11 * columnSeconds + EventStream::maxWait + 2 * columnSeconds);
}

TEST_CASE("an event stream leaves out the classes that are not reported", "[unit]") {
    for (unsigned seed = 0; seed < 50; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const int classes = 4;
        const auto columns = randomColumns(dice, classes, 300);
        const auto settings = randomSettings(dice, classes);
        std::vector<bool> reported;
        for (int c = 0; c < classes; ++c) reported.push_back(dice.oneIn(2));
        EventStream all(classes, columnSeconds, settings);
        EventStream some(classes, columnSeconds, settings, reported);
        for (const auto& column : columns) {
            all.add(column);
            some.add(column);
        }
        const double duration = static_cast<double>(columns.size()) * columnSeconds;
        EventList expected = all.finish(duration);
        const auto hidden = [&](const Event& event) {
            return !reported[static_cast<std::size_t>(event.classIndex)];
        };
        std::erase_if(expected.events, hidden);
        std::erase_if(expected.nearMisses, [&](const NearMiss& miss) { return hidden(miss.event); });
        REQUIRE(some.finish(duration) == expected);
    }
}

TEST_CASE("an event stream refuses rules that make no sense", "[unit]") {
    REQUIRE_THROWS_AS(EventStream(1, columnSeconds, {{.on = 0.2f, .off = 0.3f}, {}}), Error);
    REQUIRE_THROWS_AS(EventStream(2, columnSeconds, {{}, {{1, {.median = 2}}}}), Error);
}
