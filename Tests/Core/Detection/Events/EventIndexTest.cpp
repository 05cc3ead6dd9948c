#include "Core/Detection/Events/EventIndex.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Windows/Timeline.h"
#include "Support/Catch.h"

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
    GrowingTimeline(int classes, unsigned seed)
        : random_(seed)
        , timeline_(classes, columnSeconds)
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
        timeline_.finish(std::max(0.0, columns - cut[below(6)]) * columnSeconds);
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
    EventRule rule{.on = unit(),
                   .median = 1 + 2 * static_cast<int>(random.below(5)),
                   .minDuration = random.below(2) * random.below(8) * columnSeconds,
                   .mergeGap = random.below(2) * random.below(10) * columnSeconds};
    rule.off = rule.on * (random.below(8) == 0 ? 0.0f : unit());
    return rule;
}

EventSettings randomSettings(GrowingTimeline& random, int classes) {
    EventSettings settings{randomRule(random), {}};
    for (int c = 0; c < classes; ++c)
        if (random.below(3) == 0) settings.overrides[c] = randomRule(random);
    return settings;
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
            const auto expected = deriveEvents(growing.timeline(), settings);
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
        requireSame(index, deriveEvents(growing.timeline(), settings));
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
