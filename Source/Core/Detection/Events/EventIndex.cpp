#include "Core/Detection/Events/EventIndex.h"

#include "Core/Detection/Events/ClassEvents.h"
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

constexpr auto comesFirst = [](const auto& a, const auto& b) { return earlier(eventOf(a), eventOf(b)); };

// What one class gave, in two parts: what is final, and what is derived again.
template <typename Item>
struct Found {
    std::vector<Item> items; // by onset, apart
    std::size_t final = 0;   // the first so many

    std::span<const Item> open() const { return std::span(items).subspan(final); }

    const Item* at(double seconds) const {
        const auto next = std::ranges::upper_bound(items, seconds, {},
                                                   [](const Item& item) { return eventOf(item).onset; });
        if (next == items.begin()) return nullptr;
        const Item& item = *std::prev(next);
        return seconds < eventOf(item).offset ? &item : nullptr;
    }
};

// Takes the place of `before` by `after` in a sorted list; true when they differ.
template <typename Item>
bool replace(std::vector<Item>& list, std::span<const Item> before, std::span<const Item> after) {
    while (!before.empty() && !after.empty() && before.front() == after.front()) {
        before = before.subspan(1);
        after = after.subspan(1);
    }
    for (const Item& item : before) list.erase(std::ranges::lower_bound(list, item, comesFirst));
    for (const Item& item : after) list.insert(std::ranges::upper_bound(list, item, comesFirst), item);
    return !before.empty() || !after.empty();
}

struct ClassState {
    std::int64_t cut = 0; // column: nothing before it is looked at again
    // The class's probabilities from `context()` on; empty while none of them reaches `off`, so that nothing
    // is found from `cut` on.
    std::vector<float> tail;
    Found<Event> events;
    Found<NearMiss> misses;
};

// The first column that the median filter reads for column `first`.
std::int64_t contextOf(std::int64_t first, const EventRule& rule) {
    return std::max<std::int64_t>(0, first - rule.median / 2);
}

} // namespace

struct EventIndex::Impl {
    bool continues(const Timeline& timeline, const EventSettings& wanted) const;
    void readPeaks(const Timeline& timeline);
    void readTail(const Timeline& timeline, ClassState& state, int classIndex) const;
    bool derive(const Timeline& timeline, int classIndex, const EventRule& rule);
    void collect();

    EventSettings settings;
    std::optional<std::uint64_t> generation; // of the timeline; none before the first update
    std::int64_t settled = 0;                // columns of it that were final: the rest may have changed since
    std::vector<ClassState> classes;
    std::vector<float> peaks; // (classes): of the columns that may have changed
    bool collects = false;    // everything is new: `list` is put together at the end
    EventList list;
};

// Whether what is known still holds for the timeline's settled columns.
bool EventIndex::Impl::continues(const Timeline& timeline, const EventSettings& wanted) const {
    if (generation != timeline.generation() || settings != wanted) return false;
    // A recording that ends before its last column begins moves columns that were final.
    return !timeline.duration() ||
           *timeline.duration() > static_cast<double>(timeline.columns() - 1) * timeline.secondsPerColumn();
}

void EventIndex::Impl::readPeaks(const Timeline& timeline) {
    peaks.assign(static_cast<std::size_t>(timeline.classes()), 0.0f);
    for (std::int64_t i = settled; i < timeline.columns(); ++i) {
        const auto column = timeline.column(i);
        for (std::size_t c = 0; c < peaks.size(); ++c) peaks[c] = std::max(peaks[c], column[c]);
    }
}

// Brings the tail up to date; an empty one begins as late as may be.
void EventIndex::Impl::readTail(const Timeline& timeline, ClassState& state, int classIndex) const {
    const EventRule& rule = settings.ruleFor(classIndex);
    const std::int64_t reach = rule.median / 2;
    std::int64_t first = settled;
    if (state.tail.empty()) {
        // Columns before the first that may have changed are all below `off` back to the cut's context.
        state.cut = std::max(state.cut, settled - reach);
        first = contextOf(state.cut, rule);
    }
    const std::int64_t context = contextOf(state.cut, rule);
    state.tail.resize(index(timeline.columns() - context));
    timeline.row(classIndex, first, std::span(state.tail).subspan(index(first - context)));
}

bool EventIndex::Impl::derive(const Timeline& timeline, int classIndex, const EventRule& rule) {
    ClassState& state = classes[static_cast<std::size_t>(classIndex)];
    readTail(timeline, state, classIndex);

    std::vector<Event> events;
    std::vector<NearMiss> misses;
    const std::int64_t context = contextOf(state.cut, rule);
    const ClassEvents found(timeline, classIndex, rule, state.tail, context, state.cut);
    found.appendTo(events, misses);

    bool changed = false;
    const auto take = [&](auto& known, auto& everything, const auto& derived) {
        if (!collects)
            changed = replace<typename std::decay_t<decltype(derived)>::value_type>(everything, known.open(),
                                                                                    derived) ||
                      changed;
        known.items.resize(known.final);
        known.items.insert(known.items.end(), derived.begin(), derived.end());
    };
    take(state.events, list.events, events);
    take(state.misses, list.nearMisses, misses);

    const std::int64_t reach = rule.median / 2;
    state.cut = found.cut(timeline.settled() - reach);
    const double final = timeline.start(state.cut);
    const auto countFinal = [&](auto& known) {
        while (known.final < known.items.size() && eventOf(known.items[known.final]).onset < final)
            ++known.final;
    };
    countFinal(state.events);
    countFinal(state.misses);
    state.tail.erase(state.tail.begin(), state.tail.begin() + (contextOf(state.cut, rule) - context));
    if (std::ranges::none_of(state.tail, [&](float p) { return p >= rule.off; })) state.tail.clear();
    return changed;
}

// All classes' events in one list.
void EventIndex::Impl::collect() {
    list = {};
    for (const ClassState& state : classes) {
        list.events.insert(list.events.end(), state.events.items.begin(), state.events.items.end());
        list.nearMisses.insert(list.nearMisses.end(), state.misses.items.begin(), state.misses.items.end());
    }
    std::ranges::stable_sort(list.events, comesFirst);
    std::ranges::stable_sort(list.nearMisses, comesFirst);
}

EventIndex::EventIndex()
    : impl_(std::make_unique<Impl>()) {}
EventIndex::~EventIndex() = default;

bool EventIndex::update(const Timeline& timeline, const EventSettings& settings) {
    assert(!settings.boxes);
    Impl& impl = *impl_;
    EventList before;
    impl.collects = !impl.continues(timeline, settings);
    if (impl.collects) {
        validate(settings);
        before = std::move(impl.list);
        clear();
        impl.settings = settings;
        impl.collects = true;
        impl.classes.resize(static_cast<std::size_t>(timeline.classes()));
    }
    impl.readPeaks(timeline);
    bool changed = false;
    for (int c = 0; c < timeline.classes(); ++c) {
        const auto at = static_cast<std::size_t>(c);
        const EventRule& rule = impl.settings.ruleFor(c);
        if (timeline.columns() > 0 && (!impl.classes[at].tail.empty() || impl.peaks[at] >= rule.off))
            changed = impl.derive(timeline, c, rule) || changed;
    }
    impl.generation = timeline.generation();
    impl.settled = timeline.settled();
    if (!impl.collects) return changed;
    impl.collect();
    return impl.list != before;
}

void EventIndex::clear() { *impl_ = {}; }

const EventList& EventIndex::list() const { return impl_->list; }

const NearMiss* EventIndex::nearMissAt(int classIndex, double seconds) const {
    if (classIndex < 0 || index(classIndex) >= impl_->classes.size()) return nullptr;
    return impl_->classes[index(classIndex)].misses.at(seconds);
}

const Event* EventIndex::eventAt(int classIndex, double seconds) const {
    if (classIndex < 0 || index(classIndex) >= impl_->classes.size()) return nullptr;
    return impl_->classes[index(classIndex)].events.at(seconds);
}

} // namespace earshot::detection
