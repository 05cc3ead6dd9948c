#include "Core/Detection/Events/EventIndex.h"

#include "Core/Detection/Events/EventMachine.h"
#include "Core/Detection/Windows/Timeline.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace earshot::detection {

namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

const Event& eventOf(const Event& event) { return event; }
const Event& eventOf(const NearMiss& miss) { return miss.event; }

// The results of one class, sorted by onset: the final ones, and the open ones that each update derives
// again.
template <typename Item>
struct Found {
    std::vector<Item> final;
    std::vector<Item> open;

    // Appends the new final results and replaces the open ones.
    void take(std::vector<Item>& newFinal, std::vector<Item>& newOpen) {
        // A late result may begin before an earlier final one.
        for (const Item& item : newFinal) final.insert(std::ranges::upper_bound(final, item, earlier), item);
        std::ranges::sort(newOpen, earlier);
        open.swap(newOpen);
    }

    const Item* at(double seconds) const {
        for (const std::vector<Item>* items : {&open, &final}) {
            const auto next = std::ranges::upper_bound(*items, seconds, {},
                                                       [](const Item& item) { return eventOf(item).onset; });
            if (next != items->begin() && seconds < eventOf(*std::prev(next)).offset)
                return &*std::prev(next);
        }
        return nullptr;
    }
};

// Replaces `before` by `after` in a sorted list; returns whether they differ.
template <typename Item>
bool replace(std::vector<Item>& list, std::span<const Item> before, std::span<const Item> after) {
    while (!before.empty() && !after.empty() && before.front() == after.front()) {
        before = before.subspan(1);
        after = after.subspan(1);
    }
    for (const Item& item : before) list.erase(std::ranges::lower_bound(list, item, earlier));
    for (const Item& item : after) list.insert(std::ranges::upper_bound(list, item, earlier), item);
    return !before.empty() || !after.empty();
}

struct ClassState {
    // Its state after the settled columns. It may be empty or lag behind while it would be idle.
    std::optional<EventMachine> machine;
    Found<Event> events;
    Found<NearMiss> misses;
};

} // namespace

struct EventIndex::Impl {
    bool continues(const Timeline& timeline, const EventSettings& wanted) const;
    void beginAnew(const Timeline& timeline, const EventSettings& wanted);
    void readPeaks(const Timeline& timeline);
    bool advance(const Timeline& timeline, int classIndex);
    void feed(const Timeline& timeline, int classIndex, EventMachine& machine, std::int64_t end,
              EventList& found);
    void collect();
    bool dropMisses(double before);
    bool dropEvents(std::size_t most);

    EventSettings settings;
    std::optional<std::uint64_t> generation; // the timeline's; none before the first update
    // how many columns were final at the last update; later ones may have changed since
    std::int64_t settled = 0;
    std::vector<ClassState> classes;
    std::vector<float> peaks; // (classes): over the columns that may have changed
    EventList list;
    std::int64_t dropped = 0;
    // Scratch:
    bool collects = false; // the index starts anew: collect() builds `list` at the end
    std::vector<float> values;
};

// Returns whether the present results still hold for the timeline's settled columns.
bool EventIndex::Impl::continues(const Timeline& timeline, const EventSettings& wanted) const {
    if (generation != timeline.generation() || settings != wanted || timeline.firstKept() > settled)
        return false;
    // If a recording ends before its last column begins, final columns move.
    return !timeline.duration() ||
           *timeline.duration() > static_cast<double>(timeline.columns() - 1) * timeline.secondsPerColumn();
}

void EventIndex::Impl::beginAnew(const Timeline& timeline, const EventSettings& wanted) {
    validate(wanted);
    std::vector<Event> kept;
    if (generation == timeline.generation()) {
        const double first = timeline.start(timeline.firstKept());
        for (Event event : list.events) {
            if (event.onset >= first) break;
            event.offset = std::min(event.offset, first);
            kept.push_back(event);
        }
    } else {
        dropped = 0;
    }
    settings = wanted;
    settled = timeline.firstKept();
    classes.assign(static_cast<std::size_t>(timeline.classes()), {});
    for (const Event& event : kept) classes[index(event.classIndex)].events.final.push_back(event);
    list = {};
}

void EventIndex::Impl::readPeaks(const Timeline& timeline) {
    peaks.assign(static_cast<std::size_t>(timeline.classes()), 0.0f);
    for (std::int64_t i = settled; i < timeline.columns(); ++i) {
        const auto column = timeline.column(i);
        for (std::size_t c = 0; c < peaks.size(); ++c) peaks[c] = std::max(peaks[c], column[c]);
    }
}

void EventIndex::Impl::feed(const Timeline& timeline, int classIndex, EventMachine& machine, std::int64_t end,
                            EventList& found) {
    const auto first = machine.columns();
    values.resize(index(end - first));
    timeline.row(classIndex, first, values);
    for (const float value : values) machine.step(value, found);
}

bool EventIndex::Impl::advance(const Timeline& timeline, int classIndex) {
    const EventRule& rule = settings.ruleFor(classIndex);
    ClassState& state = classes[index(classIndex)];
    auto& machine = state.machine;
    // While no event is in progress, all columns are below `off`. A machine gives the same results if it
    // starts late, as long as its filter has read only columns below `off` before the first other one.
    const auto begin = std::max(timeline.firstKept(), settled - 2 * (rule.median / 2));
    if (!machine || machine->columns() < begin) {
        assert(!machine || machine->idle());
        machine.emplace(classIndex, timeline.secondsPerColumn(), rule, true, begin);
    }
    EventList final, open;
    machine->setDuration(timeline.duration());
    feed(timeline, classIndex, *machine, timeline.settled(), final);
    EventMachine replayed = *machine;
    feed(timeline, classIndex, replayed, timeline.columns(), open);
    replayed.finish(open);

    const auto take = [&](auto& known, auto& newFinal, auto& newOpen, auto& everything) {
        auto found = newFinal;
        found.insert(found.end(), newOpen.begin(), newOpen.end());
        std::ranges::sort(found, earlier);
        using Item = typename std::decay_t<decltype(found)>::value_type;
        const bool changed = !collects && replace<Item>(everything, std::span(known.open), std::span(found));
        known.take(newFinal, newOpen);
        return changed;
    };
    const bool events = take(state.events, final.events, open.events, list.events);
    return take(state.misses, final.nearMisses, open.nearMisses, list.nearMisses) || events;
}

// Merges the events of all classes into one list.
void EventIndex::Impl::collect() {
    for (const ClassState& state : classes) {
        for (const auto* events : {&state.events.final, &state.events.open})
            list.events.insert(list.events.end(), events->begin(), events->end());
        for (const auto* misses : {&state.misses.final, &state.misses.open})
            list.nearMisses.insert(list.nearMisses.end(), misses->begin(), misses->end());
    }
    std::ranges::stable_sort(list.events, earlier);
    std::ranges::stable_sort(list.nearMisses, earlier);
}

bool EventIndex::Impl::dropMisses(double before) {
    if (list.nearMisses.empty() || list.nearMisses.front().event.onset >= before) return false;
    const auto drop = [&](std::vector<NearMiss>& misses) {
        misses.erase(misses.begin(), std::ranges::lower_bound(misses, before, {}, [](const NearMiss& miss) {
                         return miss.event.onset;
                     }));
    };
    for (ClassState& state : classes) {
        drop(state.misses.final);
        drop(state.misses.open);
    }
    drop(list.nearMisses);
    return true;
}

bool EventIndex::Impl::dropEvents(std::size_t most) {
    if (list.events.size() <= most) return false;
    // Drop some more than necessary, so that this does not happen for every new event.
    const auto end = list.events.begin() + static_cast<std::ptrdiff_t>(list.events.size() - most + most / 16);
    const Event last = *std::prev(end);
    const auto isOpen = [&](const Event& event) {
        const auto& open = classes[index(event.classIndex)].events.open;
        return std::ranges::find(open, event) != open.end();
    };
    const auto kept = std::remove_if(list.events.begin(), end, [&](const Event& e) { return !isOpen(e); });
    dropped += end - kept;
    list.events.erase(kept, end);
    for (ClassState& state : classes) {
        auto& final = state.events.final;
        final.erase(final.begin(), std::ranges::upper_bound(final, last, earlier));
    }
    return true;
}

EventIndex::EventIndex()
    : impl_(std::make_unique<Impl>()) {}
EventIndex::~EventIndex() = default;

bool EventIndex::update(const Timeline& timeline, const EventSettings& settings, std::size_t most) {
    assert(!settings.boxes);
    Impl& impl = *impl_;
    EventList before;
    impl.collects = !impl.continues(timeline, settings);
    if (impl.collects) {
        before = impl.list;
        impl.beginAnew(timeline, settings);
    }
    impl.readPeaks(timeline);
    bool changed = false;
    for (int c = 0; c < timeline.classes(); ++c) {
        const ClassState& state = impl.classes[index(c)];
        const bool busy = state.machine && !state.machine->idle();
        const bool open = !state.events.open.empty() || !state.misses.open.empty();
        if (busy || open || impl.peaks[index(c)] >= impl.settings.ruleFor(c).off)
            changed = impl.advance(timeline, c) || changed;
    }
    impl.generation = timeline.generation();
    impl.settled = timeline.settled();
    if (impl.collects) impl.collect();
    changed = impl.dropMisses(timeline.start(timeline.firstKept())) || changed;
    changed = impl.dropEvents(most) || changed;
    return impl.collects ? impl.list != before : changed;
}

void EventIndex::clear() { *impl_ = {}; }

const EventList& EventIndex::list() const { return impl_->list; }
std::int64_t EventIndex::dropped() const { return impl_->dropped; }

const NearMiss* EventIndex::nearMissAt(int classIndex, double seconds) const {
    if (classIndex < 0 || index(classIndex) >= impl_->classes.size()) return nullptr;
    return impl_->classes[index(classIndex)].misses.at(seconds);
}

const Event* EventIndex::eventAt(int classIndex, double seconds) const {
    if (classIndex < 0 || index(classIndex) >= impl_->classes.size()) return nullptr;
    return impl_->classes[index(classIndex)].events.at(seconds);
}

} // namespace earshot::detection
