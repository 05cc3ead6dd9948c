#include "Core/Streaming/LiveEvents.h"

#include "Core/Detection/Timeline.h"
#include "Support/Catch.h"
#include "Support/ReferenceEvents.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>
#include <vector>

using namespace earshot;
using namespace earshot::streaming;
using detection::Event;
using detection::EventRule;
using detection::EventSettings;
using detection::Timeline;

namespace {

class Random {
  public:
    explicit Random(std::uint32_t seed)
        : generator_(seed) {}
    int below(int limit) { return static_cast<int>(generator_() % static_cast<std::uint32_t>(limit)); }
    template <typename Value>
    Value oneOf(std::initializer_list<Value> values) {
        return values.begin()[below(static_cast<int>(values.size()))];
    }

  private:
    std::mt19937 generator_;
};

EventRule anyRule(Random& random) {
    EventRule rule;
    rule.on = random.oneOf({0.3f, 0.5f, 0.7f});
    rule.off = rule.on * random.oneOf({0.3f, 0.6f, 1.0f});
    rule.median = random.oneOf({1, 3, 5, 9});
    rule.minDuration = random.oneOf({0.0, 0.64, 0.96, 2.0});
    rule.mergeGap = random.oneOf({0.0, 0.32, 0.64, 1.0, 3.0});
    return rule;
}

// Slow ups and downs with some jitter, so that every rule has something to do.
std::vector<float> anyColumn(Random& random, std::vector<float>& level) {
    std::vector<float> column;
    for (float& value : level) {
        if (random.below(4) == 0) value = static_cast<float>(random.below(11)) / 10.0f;
        column.push_back(std::clamp(value + static_cast<float>(random.below(5) - 2) / 20.0f, 0.0f, 1.0f));
    }
    return column;
}

using Key = std::tuple<double, int, double>;

std::vector<Key> keys(const std::vector<Event>& events) {
    std::vector<Key> result;
    for (const Event& event : events) result.emplace_back(event.onset, event.classIndex, event.offset);
    std::ranges::sort(result);
    return result;
}

// Pairs of onset and offset; every offset has its onset before it, and a class sounds once at a time.
std::vector<Event> completed(const std::vector<LiveChange>& changes) {
    std::vector<Event> events;
    std::map<int, Event> sounding;
    for (const auto& [kind, event] : changes) {
        if (kind == LiveChange::Kind::onset) {
            REQUIRE(sounding.emplace(event.classIndex, event).second);
            continue;
        }
        REQUIRE(sounding.count(event.classIndex) == 1);
        REQUIRE(sounding[event.classIndex].onset == event.onset);
        sounding.erase(event.classIndex);
        events.push_back(event);
    }
    REQUIRE(sounding.empty());
    return events;
}

} // namespace

TEST_CASE("Live events of columns that never change are the events of the whole", "[unit][streaming]") {
    Random random(4);
    std::size_t total = 0;
    for (int round = 0; round < 400; ++round) {
        constexpr int classes = 3;
        EventSettings settings{anyRule(random), {{1, anyRule(random)}}};
        Timeline timeline(classes, 0.32);
        LiveEvents live;
        std::vector<LiveChange> changes;
        std::vector<float> level(classes);
        const int columns = random.below(120);
        for (int i = 0; i < columns; ++i) {
            timeline.add(i, anyColumn(random, level));
            if (random.below(3) != 0) live.follow(timeline, settings, changes);
        }
        live.follow(timeline, settings, changes);
        live.end(changes);
        CAPTURE(round, columns, settings.rule.median, settings.rule.minDuration, settings.rule.mergeGap);
        const auto events = completed(changes);
        const auto expected = test::referenceEvents(timeline, settings).events;
        REQUIRE(keys(events) == keys(expected));
        for (const Event& event : events) {
            const auto same = std::ranges::find_if(expected, [&](const Event& other) {
                return other.classIndex == event.classIndex && other.onset == event.onset;
            });
            REQUIRE(same->peak == event.peak);
            REQUIRE(same->mean == event.mean);
        }
        total += events.size();
    }
    REQUIRE(total > 500);
}

TEST_CASE("A change is told as soon as the rules are sure", "[unit][streaming]") {
    Timeline timeline(1, 0.32);
    LiveEvents live;
    const EventSettings settings{{.on = 0.5f, .off = 0.3f, .minDuration = 0.64, .mergeGap = 0.64}, {}};
    const auto changesOf = [&](float probability) {
        timeline.add(timeline.columns(), std::vector<float>{probability});
        std::vector<LiveChange> changes;
        live.follow(timeline, settings, changes);
        return changes;
    };
    REQUIRE(changesOf(0.4f).empty()); // reaches off only
    const auto onset = changesOf(0.6f);
    REQUIRE(onset.size() == 1);
    REQUIRE(onset[0].kind == LiveChange::Kind::onset);
    REQUIRE(onset[0].event.onset == 0.0);
    REQUIRE(onset[0].event.peak == 0.6f);
    REQUIRE(changesOf(0.9f).empty());
    REQUIRE(changesOf(0.1f).empty()); // what begins with the next column would still join
    const auto offset = changesOf(0.1f);
    REQUIRE(offset.size() == 1);
    REQUIRE(offset[0].kind == LiveChange::Kind::offset);
    REQUIRE(offset[0].event.offset == Approx(0.96));
    REQUIRE(offset[0].event.peak == 0.9f);
    REQUIRE(changesOf(0.1f).empty());
}

TEST_CASE("Nothing live is taken back when columns are revised", "[unit][streaming]") {
    Timeline timeline(1, 0.32);
    LiveEvents live;
    const EventSettings settings{{.on = 0.5f, .off = 0.3f}, {}};
    std::vector<LiveChange> changes;
    timeline.add(0, std::vector<float>{0.9f, 0.9f});
    live.follow(timeline, settings, changes);
    REQUIRE(changes.size() == 1);
    timeline.add(0, std::vector<float>{0.0f, 0.0f, 0.0f});
    live.follow(timeline, settings, changes);
    REQUIRE(changes.size() == 2);
    REQUIRE(changes[1].event.onset == 0.0);
    REQUIRE(changes[1].event.offset == Approx(0.64));
}

TEST_CASE("A sound that later windows are surer of is told once, as soon as they are", "[unit][streaming]") {
    Timeline timeline(1, 0.08);
    LiveEvents live;
    const EventSettings settings{{.on = 0.5f, .off = 0.3f}, {}};
    std::vector<LiveChange> changes;
    // Each window hears eight columns and ends a column later; a column is heard better in the middle.
    for (int end = 1; end <= 40; ++end) {
        std::vector<float> heard;
        const int first = std::max(0, end - 8);
        for (int i = first; i < end; ++i) {
            const bool sounds = i >= 10 && i < 25;
            heard.push_back(sounds ? std::min(0.9f, 0.2f + 0.2f * static_cast<float>(end - 1 - i)) : 0.02f);
        }
        timeline.add(first, heard);
        if (end > 8) timeline.settle(end - 8);
        const auto before = changes.size();
        live.follow(timeline, settings, changes);
        CAPTURE(end);
        // The mean of column 10 over its windows is 0.2, 0.3, 0.4, 0.5 ...
        if (end < 14) REQUIRE(changes.empty());
        if (end == 14) REQUIRE(changes.size() == 1);
        if (end > 14 && end < 29) REQUIRE(changes.size() == before);
    }
    REQUIRE(changes.size() == 2);
    REQUIRE(changes[0].event.onset == Approx(0.8));
    REQUIRE(changes[1].event.onset == Approx(0.8));
    REQUIRE(changes[1].event.offset == Approx(2.0));
    live.end(changes);
    REQUIRE(changes.size() == 2);
}

TEST_CASE("The newest columns may still rise, so that they end no sound", "[unit][streaming]") {
    Timeline timeline(1, 0.08);
    LiveEvents live;
    const EventSettings settings{{.on = 0.5f, .off = 0.3f}, {}};
    std::vector<LiveChange> changes;
    timeline.add(0, std::vector<float>(10, 0.9f));
    for (int end = 11; end < 30; ++end) {
        // The newest column alone, and then with what the next window says of it.
        timeline.add(end - 1, std::vector<float>{0.1f});
        live.follow(timeline, settings, changes);
        timeline.add(end - 1, std::vector<float>{0.9f});
        live.follow(timeline, settings, changes);
    }
    REQUIRE(changes.size() == 1);
    for (int i = 0; i < 4; ++i) {
        timeline.add(timeline.columns(), std::vector<float>{0.1f});
        live.follow(timeline, settings, changes);
        REQUIRE(changes.size() == (i < 3 ? 1 : 2)); // 0.32 s
    }
    REQUIRE(changes[1].event.offset == Approx(29 * 0.08));
}

TEST_CASE("What is first found long after it was over is not told, and what goes on is",
          "[unit][streaming]") {
    const EventSettings settings{{.on = 0.5f, .off = 0.3f}, {}};
    for (const int length : {10, 60}) {
        Timeline timeline(1, 0.08);
        LiveEvents live;
        std::vector<LiveChange> changes;
        timeline.add(0, std::vector<float>(60, 0.1f));
        live.follow(timeline, settings, changes);
        std::vector<float> later(61, 0.1f);
        std::fill_n(later.begin(), length, 1.0f); // 0.1 and 1.0 average above `on`
        timeline.add(0, later);
        live.follow(timeline, settings, changes);
        REQUIRE(changes.size() == (length == 10 ? 0 : 1));
    }
}

TEST_CASE("A stream that is reset or ends leaves nothing sounding", "[unit][streaming]") {
    const EventSettings settings{{.on = 0.5f, .off = 0.5f, .mergeGap = 10.0}, {}};
    Timeline timeline(2, 0.32);
    LiveEvents live;
    std::vector<LiveChange> changes;
    timeline.add(0, std::vector<float>{0.9f, 0.1f});
    live.follow(timeline, settings, changes);
    REQUIRE(changes.size() == 1);
    timeline.reset();
    timeline.add(0, std::vector<float>{0.1f, 0.1f, 0.1f, 0.9f});
    live.follow(timeline, settings, changes);
    REQUIRE(changes.size() == 3);
    timeline.finish(0.5);
    live.follow(timeline, settings, changes);
    live.end(changes);
    const auto events = completed(changes);
    REQUIRE(events.size() == 2);
    REQUIRE(events[1].classIndex == 1);
    REQUIRE(events[1].onset == 0.32);
    REQUIRE(events[1].offset == 0.5);

    Timeline other(5, 0.32); // another model
    other.add(0, std::vector<float>{0.0f, 0.0f, 0.0f, 0.0f, 0.9f});
    live.follow(other, settings, changes);
    REQUIRE(changes.back().event.classIndex == 4);
    live.end(changes);
    live.end(changes);
    REQUIRE(completed(changes).size() == 3);
}

TEST_CASE("Rules may change while something sounds", "[unit][streaming]") {
    Random random(9);
    for (int round = 0; round < 100; ++round) {
        Timeline timeline(3, 0.32);
        LiveEvents live;
        std::vector<LiveChange> changes;
        std::vector<float> level(3);
        for (int i = 0; i < 100; ++i) {
            timeline.add(i, anyColumn(random, level));
            live.follow(timeline, {anyRule(random), {}}, changes);
        }
        live.end(changes);
        for (const Event& event : completed(changes)) REQUIRE(event.onset < event.offset);
    }
}

TEST_CASE("When words change, what sounds begins again and what is over is not told", "[unit][streaming]") {
    LiveEvents live;
    EventSettings settings;
    std::vector<LiveChange> changes;
    Timeline before(1, 0.32);
    const auto column = [](int i) { return (i >= 10 && i < 20) || i >= 90 ? 0.9f : 0.0f; };
    for (int i = 0; i < 100; ++i) {
        before.add(i, std::vector<float>{column(i)});
        before.settle(std::max(0, i - 3));
        live.follow(before, settings, changes);
    }
    REQUIRE(changes.size() == 3); // one is over, one sounds
    changes.clear();
    const bool goesOn = GENERATE(true, false);
    live.end(changes, goesOn);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].kind == LiveChange::Kind::offset);
    changes.clear();

    Timeline after(2, 0.32); // of the same stream, with one more class
    for (int i = 0; i < 100; ++i) after.add(i, std::vector<float>{column(i), column(i)});
    after.settle(97);
    live.follow(after, settings, changes);
    std::vector<Event> onsets;
    for (const auto& change : changes)
        if (change.kind == LiveChange::Kind::onset) onsets.push_back(change.event);
    // A new stream would tell of all that it finds in its first columns.
    REQUIRE(onsets.size() == (goesOn ? 2 : 4));
    if (!goesOn) return;
    for (const Event& onset : onsets) CHECK(onset.onset == Approx(90 * 0.32));
    CHECK(changes.size() == 2);
}

TEST_CASE("Columns that another model has told of are passed over", "[unit][streaming]") {
    LiveEvents live;
    std::vector<LiveChange> changes;
    Timeline heardAgain(1, 0.32);
    for (int i = 0; i < 400; ++i)
        heardAgain.add(i, std::vector<float>{(i >= 260 && i < 280) || i >= 390 ? 0.9f : 0.0f});
    heardAgain.settle(397);
    heardAgain.forget(397); // the chunk before the event that is over
    REQUIRE(heardAgain.firstKept() == 256);
    live.end(changes);
    live.beginAt(400 * 0.32);
    live.follow(heardAgain, EventSettings{}, changes);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].kind == LiveChange::Kind::onset);
    CHECK(changes[0].event.onset == Approx(390 * 0.32));
    live.end(changes);
    REQUIRE(completed(changes).size() == 1);
}

TEST_CASE("A sound across a gap is told in two parts", "[unit][streaming]") {
    LiveEvents live;
    std::vector<LiveChange> changes;
    Timeline timeline(1, 0.32);
    for (int i = 0; i < 100; ++i) timeline.add(i, std::vector<float>{i >= 90 ? 0.9f : 0.0f});
    live.follow(timeline, EventSettings{}, changes);
    live.end(changes);
    const double gap = 100 * 0.32;
    REQUIRE(completed(changes).size() == 1);
    CHECK(completed(changes)[0].offset == Approx(gap));
    changes.clear();
    live.beginAt(gap, true);
    for (int i = 100; i < 120; ++i) timeline.add(i, std::vector<float>{i < 110 ? 0.9f : 0.0f});
    timeline.settle(120);
    live.follow(timeline, EventSettings{}, changes);
    REQUIRE(completed(changes).size() == 1);
    CHECK(completed(changes)[0].onset == Approx(gap));
    CHECK(completed(changes)[0].offset == Approx(110 * 0.32));
}

TEST_CASE("What was over shortly before other words or another model is told once", "[unit][streaming]") {
    const EventSettings settings{{.on = 0.5f, .off = 0.3f}, {}};
    const bool goesOn = GENERATE(true, false); // with other words, else with another model
    const auto heard = [](Timeline& timeline) {
        for (int i = 0; i < 100; ++i) {
            timeline.add(i, std::vector<float>{i >= 90 && i < 98 ? 0.9f : 0.0f});
            timeline.settle(std::max(0, i - 3));
        }
    };
    Timeline before(1, 0.32);
    heard(before);
    LiveEvents live;
    std::vector<LiveChange> changes;
    live.follow(before, settings, changes);
    REQUIRE(completed(changes).size() == 1);
    live.end(changes, goesOn);
    if (!goesOn) live.beginAt(100 * 0.32);
    REQUIRE(changes.size() == 2);

    Timeline after(1, 0.32);
    heard(after);
    live.follow(after, settings, changes);
    CHECK(changes.size() == 2);
    // What comes next is told, and so is all of the next stream.
    after.add(100, std::vector<float>{0.9f});
    live.follow(after, settings, changes);
    CHECK(changes.size() == 3);
    live.end(changes);
    CHECK(changes.size() == 4);
    Timeline next(1, 0.32);
    next.add(0, std::vector<float>{0.9f, 0.0f, 0.0f, 0.0f});
    live.follow(next, settings, changes);
    CHECK(changes.size() == 6);
}
