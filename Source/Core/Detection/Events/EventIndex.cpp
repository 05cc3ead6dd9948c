#include "Core/Detection/Events/EventIndex.h"

#include "Core/Detection/Events/EventMachine.h"
#include "Core/Detection/Events/Sebbs.h"
#include "Core/Detection/Timeline.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace earshot::detection {

namespace {

// How many probabilities an update reads at most, where boxes are chosen.
constexpr std::int64_t probabilitiesAtOnce = 1 << 19;

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

// Adds sorted items to a sorted list.
template <typename Item>
void merge(std::vector<Item>& list, std::span<const Item> items) {
    if (items.empty()) return;
    const auto known = std::ssize(list);
    list.insert(list.end(), items.begin(), items.end());
    const auto middle = list.begin() + known;
    std::inplace_merge(std::upper_bound(list.begin(), middle, items.front(), earlier), middle, list.end(),
                       earlier);
}

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
        std::ranges::sort(newFinal, earlier);
        merge<Item>(final, newFinal);
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
    merge<Item>(list, after);
    return !before.empty() || !after.empty();
}

struct ClassState {
    // The state after the columns read so far, of the one that the settings ask for. It may be empty or lag
    // behind while it would be idle.
    std::optional<EventMachine> machine;
    std::optional<ClassSebbStream> sebbs;
    Found<Event> events;
    Found<NearMiss> misses;

    bool busy() const { return (machine && !machine->idle()) || (sebbs && !sebbs->idle()); }
    bool open() const { return !events.open.empty() || !misses.open.empty(); }
};

// While a class is not busy, all its columns are below its floor. Its machine gives the same results if it
// starts late, as long as it has read those columns that it looks back at before the first other one.
template <typename Machine, typename... Arguments>
Machine& startedBy(std::int64_t column, std::optional<Machine>& machine, const Arguments&... arguments) {
    if (!machine || machine->columns() < column) {
        assert(!machine || machine->idle());
        machine.emplace(arguments..., column);
    }
    return *machine;
}

} // namespace

struct EventIndex::Impl {
    bool continues(const Timeline& timeline, const EventSettings& wanted) const;
    void beginAnew(const Timeline& timeline, const EventSettings& wanted);
    bool readParts(const Timeline& timeline);
    bool advanceAll(const Timeline& timeline, std::int64_t end);
    void readPeaks(const Timeline& timeline, std::int64_t end);
    bool advance(const Timeline& timeline, int classIndex, std::int64_t end);
    void judge(const Timeline& timeline, int classIndex, EventList& final, EventList& open);
    void chooseSebbs(const Timeline& timeline, int classIndex, std::int64_t end, EventList& final);
    template <typename Machine>
    void feed(const Timeline& timeline, int classIndex, Machine& machine, std::int64_t end, EventList& found);
    void collect();
    bool dropMisses(double before);
    bool dropEvents(std::size_t most);

    EventSettings settings;
    std::optional<std::uint64_t> generation; // the timeline's; none before the first update
    // how many final columns the last update had read; later ones may have changed since
    std::int64_t settled = 0;
    bool behind = false;
    std::vector<ClassState> classes;
    std::vector<float> peaks; // (classes): over the columns that are read
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
    return settings.sebbs || !timeline.duration() ||
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

// Reads settled columns part by part, because most classes are silent in most parts.
bool EventIndex::Impl::readParts(const Timeline& timeline) {
    const auto most = settled + probabilitiesAtOnce / std::max(1, timeline.classes());
    bool changed = false;
    do {
        const auto end = std::min(settled + Timeline::columnsPerChunk, timeline.settled());
        changed = advanceAll(timeline, end) || changed;
        settled = end;
    } while (settled < std::min(most, timeline.settled()));
    return changed;
}

// Reads the columns before `end`.
bool EventIndex::Impl::advanceAll(const Timeline& timeline, std::int64_t end) {
    readPeaks(timeline, end);
    bool changed = false;
    for (int c = 0; c < timeline.classes(); ++c) {
        const ClassState& state = classes[index(c)];
        if (state.busy() || state.open() || peaks[index(c)] >= settings.floorFor(c))
            changed = advance(timeline, c, end) || changed;
    }
    return changed;
}

void EventIndex::Impl::readPeaks(const Timeline& timeline, std::int64_t end) {
    peaks.assign(static_cast<std::size_t>(timeline.classes()), 0.0f);
    for (std::int64_t i = settled; i < end; ++i) {
        const auto column = timeline.column(i);
        for (std::size_t c = 0; c < peaks.size(); ++c) peaks[c] = std::max(peaks[c], column[c]);
    }
}

template <typename Machine>
void EventIndex::Impl::feed(const Timeline& timeline, int classIndex, Machine& machine, std::int64_t end,
                            EventList& found) {
    const auto first = machine.columns();
    values.resize(index(end - first));
    timeline.row(classIndex, first, values);
    for (const float value : values) machine.step(value, found);
}

// By thresholds: replays the columns that are not settled.
void EventIndex::Impl::judge(const Timeline& timeline, int classIndex, EventList& final, EventList& open) {
    const EventRule& rule = settings.ruleFor(classIndex);
    const auto begin = std::max(timeline.firstKept(), settled - 2 * (rule.median / 2));
    EventMachine& machine = startedBy(begin, classes[index(classIndex)].machine, classIndex,
                                      timeline.secondsPerColumn(), rule, true);
    machine.setDuration(timeline.duration());
    feed(timeline, classIndex, machine, timeline.settled(), final);
    EventMachine replayed = machine;
    feed(timeline, classIndex, replayed, timeline.columns(), open);
    replayed.finish(open);
}

void EventIndex::Impl::chooseSebbs(const Timeline& timeline, int classIndex, std::int64_t end,
                                   EventList& final) {
    const auto beside = static_cast<std::int64_t>(columnsBeside(timeline.secondsPerColumn()));
    ClassSebbStream& sebbs =
        startedBy(std::max<std::int64_t>(0, settled - beside), classes[index(classIndex)].sebbs, classIndex,
                  timeline.secondsPerColumn(), settings.ruleFor(classIndex), settings.sebbs, true);
    feed(timeline, classIndex, sebbs, end, final);
    if (timeline.duration() && end == timeline.columns()) sebbs.finish(timeline.end(end - 1), final);
}

bool EventIndex::Impl::advance(const Timeline& timeline, int classIndex, std::int64_t end) {
    ClassState& state = classes[index(classIndex)];
    EventList final, open;
    if (settings.sebbs)
        chooseSebbs(timeline, classIndex, end, final);
    else
        judge(timeline, classIndex, final, open);

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
    assert(!settings.sebbs || timeline.firstKept() == 0);
    Impl& impl = *impl_;
    EventList before;
    impl.collects = !impl.continues(timeline, settings);
    if (impl.collects) {
        before = impl.list;
        impl.beginAnew(timeline, settings);
    }
    bool changed = false;
    if (settings.sebbs) {
        changed = impl.readParts(timeline);
    } else {
        changed = impl.advanceAll(timeline, timeline.columns());
        impl.settled = timeline.settled();
    }
    impl.generation = timeline.generation();
    impl.behind = impl.settled < timeline.settled();
    if (impl.collects) impl.collect();
    changed = impl.dropMisses(timeline.start(timeline.firstKept())) || changed;
    changed = impl.dropEvents(most) || changed;
    return impl.collects ? impl.list != before : changed;
}

bool EventIndex::behind() const { return impl_->behind; }
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
