#include "Core/Detection/Events/EventIndex.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Events/Rules.h"
#include "Core/Detection/Events/Sebbs.h"
#include "Core/Detection/Timeline.h"
#include "Support/Catch.h"
#include "Support/ReferenceEvents.h"
#include "Support/SebbScorers.h"

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

using namespace earshot;
using namespace earshot::detection;

namespace {

constexpr double columnSeconds = 0.32;

// A timeline that grows as an analyzer's does, with sounds that come, stay, flicker and go.
class GrowingTimeline {
  public:
    GrowingTimeline(int classes, unsigned seed, double secondsPerColumn = columnSeconds)
        : random_(seed)
        , timeline_(classes, secondsPerColumn)
        , level_(static_cast<std::size_t>(classes)) {}

    const Timeline& timeline() const { return timeline_; }
    unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

    void step() {
        if (timeline_.duration() || below(250) == 0) {
            timeline_.reset();
            return;
        }
        switch (below(8)) {
        case 0:
            if (below(15) == 0 && timeline_.columns() > 0) finish();
            return;
        case 1:
        case 2:
            timeline_.settle(timeline_.settled() + below(1 + count(timeline_.settled())));
            return;
        case 3: {
            std::int64_t first = timeline_.columns();
            while (first > timeline_.settled() && timeline_.provisional(first - 1) && below(3) != 0) --first;
            timeline_.setProvisional(first, window());
            return;
        }
        default:
            timeline_.add(timeline_.settled() + below(1 + count(timeline_.settled())), window());
        }
    }

  private:
    unsigned count(std::int64_t from) const { return static_cast<unsigned>(timeline_.columns() - from); }

    void finish() {
        const auto columns = static_cast<double>(timeline_.columns());
        // Also much too early, and exactly at a column's end.
        const double cut[] = {0.0, 0.4, 0.99, 1.0, 2.5, 7.0};
        timeline_.finish(std::max(0.0, columns - cut[below(6)]) * timeline_.secondsPerColumn());
    }

    std::vector<float> window() {
        std::vector<float> values;
        for (unsigned column = 1 + below(7); column > 0; --column)
            for (float& level : level_) {
                if (below(5) == 0) level = below(2) == 0 ? 0.0f : static_cast<float>(below(1001)) / 1000.0f;
                const float flicker = below(6) == 0 ? 0.5f : 1.0f;
                values.push_back(level * flicker);
            }
        return values;
    }

    std::mt19937 random_;
    Timeline timeline_;
    std::vector<float> level_;
};

EventRule randomRule(GrowingTimeline& random) {
    const auto unit = [&] { return static_cast<float>(random.below(1001)) / 1000.0f; };
    EventRule rule{.on = unit(), .median = 1 + 2 * static_cast<int>(random.below(5))};
    if (random.below(2) == 1) rule.minDuration = random.below(8) * columnSeconds;
    if (random.below(2) == 1) rule.mergeGap = random.below(10) * columnSeconds;
    rule.off = rule.on * (random.below(8) == 0 ? 0.0f : unit());
    return rule;
}

EventSettings randomSettings(GrowingTimeline& random, int classes) {
    EventSettings settings{randomRule(random), {}};
    for (int c = 0; c < classes; ++c)
        if (random.below(3) == 0) settings.overrides[c] = randomRule(random);
    return settings;
}

EventSettings randomBoxes(GrowingTimeline& random, int classes) {
    auto settings = randomSettings(random, classes);
    const float weights[] = {1.0f, -0.7f, 0.3f};
    useSebbs(settings, test::scorerBy(random.below(boxFeatureCount), weights[random.below(3)], classes),
             static_cast<float>(1 + random.below(8)) / 10.0f);
    return settings;
}

// What boxes give for the columns that are final: all of them once the timeline has ended.
EventList boxesSoFar(const Timeline& timeline, const EventSettings& settings) {
    if (timeline.duration()) return deriveEvents(timeline, settings);
    EventList list;
    for (int c = 0; c < timeline.classes(); ++c) {
        ClassSebbStream sebbs(c, timeline.secondsPerColumn(), settings.ruleFor(c), settings.sebbs, true);
        for (std::int64_t i = 0; i < timeline.settled(); ++i)
            sebbs.step(timeline.column(i)[static_cast<std::size_t>(c)], list);
    }
    std::ranges::sort(list.events, earlier);
    std::ranges::sort(list.nearMisses, earlier);
    return list;
}

void requireSame(const EventIndex& index, const EventList& expected) {
    REQUIRE(index.list().events == expected.events);
    REQUIRE(index.list().nearMisses == expected.nearMisses);
}

} // namespace

TEST_CASE("an event index always equals the events of the whole timeline", "[unit]") {
    constexpr int classes = 5;
    std::size_t events = 0, misses = 0, longest = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        GrowingTimeline growing(classes, seed);
        EventIndex index;
        auto settings = randomSettings(growing, classes);
        EventList before;
        Timeline mirror(1, 1.0);
        const Timeline& seen = seed % 2 == 0 ? growing.timeline() : mirror;
        for (int step = 0; step < 1000; ++step) {
            CAPTURE(seed, step);
            // Several steps between two looks as well.
            for (unsigned i = growing.below(3); i > 0; --i) growing.step();
            if (growing.below(40) == 0) settings = randomSettings(growing, classes);
            if (growing.below(200) == 0) {
                index.clear();
                REQUIRE(index.list() == EventList{});
                before = {};
            }
            growing.timeline().copySince(mirror);
            const auto expected = test::referenceEvents(growing.timeline(), settings);
            REQUIRE(index.update(seen, settings) == (expected != before));
            requireSame(index, expected);
            before = expected;
            events += expected.events.size();
            misses += expected.nearMisses.size();
            longest = std::max(longest, expected.events.size());
        }
    }
    REQUIRE(events > 100'000);
    REQUIRE(misses > 100'000);
    REQUIRE(longest > 100);
}

TEST_CASE("an event index turns to another timeline and its classes", "[unit]") {
    EventIndex index;
    const EventSettings settings;
    for (unsigned seed = 100; seed < 140; ++seed) {
        GrowingTimeline growing(1 + static_cast<int>(seed % 7), seed);
        for (int i = 0; i < 50; ++i) growing.step();
        index.update(growing.timeline(), settings);
        requireSame(index, test::referenceEvents(growing.timeline(), settings));
    }
}

TEST_CASE("what sounds or nearly sounds at a time is found", "[unit]") {
    GrowingTimeline growing(3, 7);
    while (growing.timeline().columns() < 200 || growing.timeline().duration()) growing.step();
    EventIndex index;
    const EventSettings settings{{.on = 0.6f, .off = 0.3f, .median = 3, .minDuration = 1.0}, {}};
    index.update(growing.timeline(), settings);
    int eventsFound = 0, missesFound = 0;
    for (int c = -1; c < 4; ++c)
        for (double seconds = -1.0; seconds < 70.0; seconds += 0.05) {
            CAPTURE(c, seconds);
            const auto holds = [&](const Event& event) {
                return event.classIndex == c && event.onset <= seconds && seconds < event.offset;
            };
            const auto event = std::ranges::find_if(index.list().events, holds);
            const auto miss = std::ranges::find_if(index.list().nearMisses, holds, &NearMiss::event);
            const Event* eventFound = index.eventAt(c, seconds);
            const NearMiss* missFound = index.nearMissAt(c, seconds);
            REQUIRE((eventFound != nullptr) == (event != index.list().events.end()));
            if (eventFound != nullptr) REQUIRE(*eventFound == *event);
            REQUIRE((missFound != nullptr) == (miss != index.list().nearMisses.end()));
            if (missFound != nullptr) REQUIRE(*missFound == *miss);
            if (eventFound != nullptr) ++eventsFound;
            if (missFound != nullptr) ++missesFound;
        }
    REQUIRE(eventsFound > 100);
    REQUIRE(missesFound > 100);
    index.clear();
    REQUIRE(index.eventAt(0, 1.0) == nullptr);
}

TEST_CASE("rules that make no sense leave an event index as it was", "[unit]") {
    GrowingTimeline growing(2, 3);
    while (growing.timeline().columns() < 50) growing.step();
    EventIndex index;
    index.update(growing.timeline(), {});
    const EventList before = index.list();
    REQUIRE_THROWS_AS(index.update(growing.timeline(), {{.on = 0.2f, .off = 0.3f}, {}}), Error);
    REQUIRE(index.list() == before);
}

TEST_CASE("an event index keeps what it judged in columns that are gone, and judges what is left", "[unit]") {
    constexpr int classes = 4;
    std::size_t old = 0, changedSettings = 0, cut = 0;
    for (unsigned seed = 0; seed < 30; ++seed) {
        CAPTURE(seed);
        GrowingTimeline growing(classes, seed);
        auto settings = randomSettings(growing, classes);
        EventIndex index;
        Timeline timeline(classes, columnSeconds); // like `growing`, but forgetful
        std::vector<float> column(classes);
        for (int i = 0; i < 3000; ++i) {
            for (float& level : column)
                if (growing.below(9) == 0) level = static_cast<float>(growing.below(1001)) / 1000.0f;
            timeline.add(timeline.columns(), column);
            if (growing.below(10) != 0) continue;
            timeline.settle(timeline.columns() -
                            std::min<std::int64_t>(timeline.columns() - timeline.settled(), 20));
            if (growing.below(10) == 0) timeline.forget(std::max<std::int64_t>(0, timeline.settled() - 300));
            const double first = timeline.start(timeline.firstKept());
            const EventList before = index.list();
            const bool anew = growing.below(15) == 0;
            if (anew) settings = randomSettings(growing, classes);
            index.update(timeline, settings);

            // What began before stays as it was; under new rules, what goes on is cut at the seam.
            std::vector<Event> expected;
            for (Event event : before.events) {
                if (event.onset >= first) continue;
                if (anew && event.offset > first) {
                    event.offset = first;
                    ++cut;
                }
                expected.push_back(event);
            }
            const auto& events = index.list().events;
            REQUIRE(events.size() >= expected.size());
            REQUIRE(std::ranges::is_sorted(events, earlier));
            for (std::size_t e = 0; e < expected.size(); ++e) {
                if (anew || events[e].offset <= first)
                    REQUIRE(events[e] == expected[e]);
                else
                    REQUIRE((events[e].onset == expected[e].onset && events[e].offset >= expected[e].offset));
            }
            for (const NearMiss& miss : index.list().nearMisses) REQUIRE(miss.event.onset >= first);
            if (anew) {
                EventList left = index.list();
                left.events.erase(left.events.begin(),
                                  left.events.begin() + static_cast<std::ptrdiff_t>(expected.size()));
                REQUIRE(left == test::referenceEvents(timeline, settings));
                ++changedSettings;
            }
            old += expected.size();
            REQUIRE(index.dropped() == 0);
        }
        REQUIRE(timeline.firstKept() > 0);
    }
    REQUIRE(old > 100'000);
    REQUIRE(changedSettings > 100);
    REQUIRE(cut > 10);
}

TEST_CASE("an event index drops its oldest events beyond a limit, and counts them", "[unit]") {
    Timeline timeline(3, columnSeconds);
    EventIndex limited, all;
    const EventSettings settings{{.on = 0.5f, .off = 0.5f}, {}};
    // Class 2 sounds from the beginning to the end; class 0 and 1 in turns.
    for (int i = 0; i < 2000; ++i) {
        timeline.add(i, std::vector<float>{i % 4 == 0 ? 1.0f : 0.0f, i % 4 == 2 ? 1.0f : 0.0f, 1.0f});
        if (i % 3 != 0) continue;
        timeline.settle(std::max(0, i - 10));
        limited.update(timeline, settings, 100);
        all.update(timeline, settings);
        const auto& kept = limited.list().events;
        const auto& whole = all.list().events;
        REQUIRE(kept.size() <= 100);
        REQUIRE(kept.size() + static_cast<std::size_t>(limited.dropped()) == whole.size());
        REQUIRE(std::ranges::count(kept, 2, &Event::classIndex) == 1); // it goes on
        REQUIRE(std::equal(kept.rbegin(), kept.rend() - 1, whole.rbegin()));
    }
    REQUIRE(limited.dropped() > 800);
    REQUIRE(limited.eventAt(0, 0.1) == nullptr);
    REQUIRE(limited.eventAt(2, 0.1) != nullptr);
}

TEST_CASE("an event index that looked away while columns went keeps what it had judged", "[unit]") {
    Timeline timeline(1, columnSeconds);
    EventIndex index;
    const EventSettings settings{{.on = 0.5f, .off = 0.5f, .median = 5}, {}};
    const auto hear = [&](int columns, float value) {
        for (int i = 0; i < columns; ++i) timeline.add(timeline.columns(), std::vector<float>{value});
    };
    hear(50, 0.0f);
    hear(50, 0.9f);
    index.update(timeline, settings);
    REQUIRE(index.list().events.size() == 1);
    hear(1000, 0.9f);
    hear(100, 0.0f);
    timeline.settle(timeline.columns());
    timeline.forget(600);
    const double first = timeline.start(timeline.firstKept());
    index.update(timeline, settings);
    const auto& events = index.list().events;
    REQUIRE(events.size() == 2);
    REQUIRE(events[0].onset == 50 * columnSeconds);
    REQUIRE(events[0].offset == 100 * columnSeconds);
    REQUIRE(events[1].onset == first);
    REQUIRE(events[1].offset == 1100 * columnSeconds);
}

TEST_CASE("with boxes an event index has what is over, and in the end what the whole timeline has",
          "[unit]") {
    constexpr int classes = 4;
    const double seconds = GENERATE(double{columnSeconds}, 0.08);
    std::size_t partly = 0, whole = 0, misses = 0, turns = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        GrowingTimeline growing(classes, seed, seconds);
        EventIndex index;
        auto settings = randomBoxes(growing, classes);
        EventList before;
        Timeline mirror(1, 1.0);
        const Timeline& seen = seed % 2 == 0 ? growing.timeline() : mirror;
        for (int step = 0; step < 400; ++step) {
            CAPTURE(seed, step);
            for (unsigned i = growing.below(4); i > 0; --i) growing.step();
            if (growing.below(30) == 0) {
                settings = settings.sebbs ? randomSettings(growing, classes) : randomBoxes(growing, classes);
                ++turns;
            }
            growing.timeline().copySince(mirror);
            const auto expected = settings.sebbs ? boxesSoFar(growing.timeline(), settings)
                                                 : test::referenceEvents(growing.timeline(), settings);
            REQUIRE(index.update(seen, settings) == (expected != before));
            REQUIRE_FALSE(index.behind());
            requireSame(index, expected);
            before = expected;
            if (!settings.sebbs) continue;
            (growing.timeline().duration() ? whole : partly) += expected.events.size();
            misses += expected.nearMisses.size();
        }
    }
    REQUIRE(partly > 1000);
    REQUIRE(whole > 100);
    REQUIRE(misses > 1000);
    REQUIRE(turns > 100);
}

TEST_CASE("an event index chooses the boxes of a long recording in several updates", "[unit]") {
    constexpr int classes = 64;
    constexpr std::int64_t columns = 40'000;
    Timeline timeline(classes, columnSeconds);
    std::mt19937 random(5);
    std::vector<float> column(classes, 0.0f);
    for (std::int64_t i = 0; i < columns; ++i) {
        auto& level = column[random() % classes];
        level = level > 0.0f ? 0.0f : static_cast<float>(random() % 1001) / 1000.0f;
        if (i % 200 == 0) std::ranges::fill(column, 0.0f);
        timeline.add(i, column);
    }
    timeline.finish(static_cast<double>(columns) * columnSeconds);
    EventSettings settings;
    useSebbs(settings, test::scorerBy(test::meanFeature, 1.0f, classes), 0.5f);
    const auto whole = deriveEvents(timeline, settings);

    EventIndex index;
    const EventSettings thresholds;
    index.update(timeline, thresholds);
    REQUIRE_FALSE(index.behind());
    std::size_t updates = 0, known = 0;
    do {
        REQUIRE(index.update(timeline, settings));
        REQUIRE(index.list().events.size() > known);
        known = index.list().events.size();
        REQUIRE(std::ranges::is_sorted(index.list().events, earlier));
        ++updates;
    } while (index.behind() && updates < 10);
    REQUIRE(updates == 5);
    requireSame(index, whole);
    REQUIRE(known > 1000);
    REQUIRE_FALSE(index.update(timeline, settings));

    index.update(timeline, thresholds);
    REQUIRE_FALSE(index.behind());
    requireSame(index, deriveEvents(timeline, thresholds));
}
