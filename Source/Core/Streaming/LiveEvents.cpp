#include "Core/Streaming/LiveEvents.h"

#include "Core/Detection/Windows/Timeline.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace earshot::streaming {

using detection::Event;
using detection::EventRule;

namespace {

// As in Events.cpp: columns are compared with durations given in decimal seconds.
constexpr double secondsTolerance = 1e-9;
// Columns kept for a median that grows while it runs.
constexpr std::int64_t columnsKept = 8;

// Where columns lie in time; the recording's end, once known, ends the last one.
struct Grid {
    double secondsPerColumn = 0.0;
    std::optional<double> duration;

    double start(std::int64_t column) const {
        const double seconds = static_cast<double>(column) * secondsPerColumn;
        return duration ? std::min(seconds, *duration) : seconds;
    }
    double end(std::int64_t column) const { return start(column + 1); }
};

// Probabilities over a run of columns, before the median filter.
struct Sum {
    float peak = 0.0f;
    double sum = 0.0;
    std::int64_t columns = 0;

    void add(float value) { add(Sum{value, static_cast<double>(value), 1}); }
    void add(const Sum& other) {
        peak = std::max(peak, other.peak);
        sum += other.sum;
        columns += other.columns;
    }
};

// The rules of Events.h for one class, a column at a time.
class Follower {
  public:
    std::int64_t next = 0; // column that comes next

    // filtered: the column's probability after the median, value: before.
    void take(float filtered, float value, const EventRule& rule, const Grid& grid, int classIndex,
              std::vector<LiveChange>& changes) {
        const std::int64_t column = next++;
        if (filtered >= rule.off) {
            extendRun(column, value, filtered >= rule.on);
            if (sure_ && !reported_ && longEnough(rule, grid)) {
                reported_ = true;
                changes.push_back({LiveChange::Kind::onset, event(grid, classIndex)});
            }
            return;
        }
        if (inside_ && !sure_) gap_.add(run_);
        inside_ = false;
        sure_ = false;
        if (!candidate_) return;
        gap_.add(value);
        // The next run that could join begins with the next column.
        if (grid.start(column + 1) - grid.end(last_) >= rule.mergeGap - secondsTolerance)
            close(grid, classIndex, changes);
    }

    void close(const Grid& grid, int classIndex, std::vector<LiveChange>& changes) {
        if (candidate_ && reported_) changes.push_back({LiveChange::Kind::offset, event(grid, classIndex)});
        candidate_ = false;
        reported_ = false;
    }

  private:
    void extendRun(std::int64_t column, float value, bool reachesOn) {
        if (!inside_) {
            inside_ = true;
            run_ = {};
            runFirst_ = column;
        }
        run_.add(value);
        if (sure_) {
            whole_.add(value);
        } else if (reachesOn) {
            sure_ = true;
            join();
        }
        if (sure_) last_ = column;
    }

    // The run that has just reached `on` begins an event or goes on with the one before.
    void join() {
        if (candidate_) {
            whole_.add(gap_);
            whole_.add(run_);
        } else {
            candidate_ = true;
            first_ = runFirst_;
            whole_ = run_;
        }
        gap_ = {};
    }

    bool longEnough(const EventRule& rule, const Grid& grid) const {
        return grid.end(last_) - grid.start(first_) >= rule.minDuration - secondsTolerance;
    }

    Event event(const Grid& grid, int classIndex) const {
        return {.classIndex = classIndex,
                .onset = grid.start(first_),
                .offset = grid.end(last_),
                .peak = whole_.peak,
                .mean = static_cast<float>(whole_.sum / static_cast<double>(whole_.columns))};
    }

    // Columns at or above `off` without a break, up to now:
    bool inside_ = false;
    bool sure_ = false; // and one of them reached `on`
    std::int64_t runFirst_ = 0;
    Sum run_;
    // Runs that are sure, joined:
    bool candidate_ = false;
    bool reported_ = false; // its onset
    std::int64_t first_ = 0;
    std::int64_t last_ = 0;
    Sum whole_;
    Sum gap_; // columns since last_, as long as it may yet be joined
};

} // namespace

struct LiveEvents::Impl {
    void startAnew(const detection::Timeline& timeline);
    void keep(const detection::Timeline& timeline);
    void advance(std::vector<LiveChange>& changes, bool ends);
    float value(int classIndex, std::int64_t column) const {
        return values[static_cast<std::size_t>(column - firstKept) * followers.size() +
                      static_cast<std::size_t>(classIndex)];
    }
    float filtered(int classIndex, std::int64_t column, std::int64_t radius);
    void forgetOld();

    std::uint64_t generation = 0;
    Grid grid;
    std::vector<EventRule> rules;    // of each class
    std::vector<Follower> followers; // of each class
    std::vector<float> values;       // (columns from firstKept on, classes), as they first appeared
    std::int64_t firstKept = 0;
    std::int64_t known = 0; // columns
    std::vector<float> sorted;
};

void LiveEvents::Impl::startAnew(const detection::Timeline& timeline) {
    generation = timeline.generation();
    grid = {.secondsPerColumn = timeline.secondsPerColumn(), .duration = {}};
    followers.assign(static_cast<std::size_t>(timeline.classes()), {});
    values.clear();
    firstKept = 0;
    known = 0;
}

void LiveEvents::Impl::keep(const detection::Timeline& timeline) {
    for (; known < timeline.columns(); ++known) {
        const auto column = timeline.column(known);
        values.insert(values.end(), column.begin(), column.end());
    }
}

float LiveEvents::Impl::filtered(int classIndex, std::int64_t column, std::int64_t radius) {
    const auto reach = std::min({radius, column - firstKept, known - 1 - column});
    if (reach <= 0) return value(classIndex, column);
    sorted.clear();
    for (std::int64_t i = column - reach; i <= column + reach; ++i) sorted.push_back(value(classIndex, i));
    std::ranges::nth_element(sorted, sorted.begin() + reach);
    return sorted[static_cast<std::size_t>(reach)];
}

// Near the beginning, and near the end once that is known, the median reaches less far.
void LiveEvents::Impl::advance(std::vector<LiveChange>& changes, bool ends) {
    const auto before = static_cast<std::ptrdiff_t>(changes.size());
    for (std::size_t c = 0; c < followers.size(); ++c) {
        const int classIndex = static_cast<int>(c);
        const std::int64_t radius = rules[c].median / 2;
        Follower& follower = followers[c];
        while (follower.next < known && (ends || follower.next + std::min(radius, follower.next) < known)) {
            const std::int64_t column = follower.next;
            follower.take(filtered(classIndex, column, radius), value(classIndex, column), rules[c], grid,
                          classIndex, changes);
        }
        if (ends) follower.close(grid, classIndex, changes);
    }
    const auto when = [](const LiveChange& change) {
        return change.kind == LiveChange::Kind::onset ? change.event.onset : change.event.offset;
    };
    std::stable_sort(changes.begin() + before, changes.end(),
                     [&](const LiveChange& a, const LiveChange& b) { return when(a) < when(b); });
}

void LiveEvents::Impl::forgetOld() {
    std::int64_t needed = known;
    for (std::size_t c = 0; c < followers.size(); ++c)
        needed =
            std::min(needed, followers[c].next - std::max<std::int64_t>(rules[c].median / 2, columnsKept));
    const std::int64_t unneeded = needed - firstKept;
    if (unneeded < columnsKept) return;
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(unneeded) *
                                                      static_cast<std::ptrdiff_t>(followers.size()));
    firstKept = needed;
}

LiveEvents::LiveEvents()
    : impl_(std::make_unique<Impl>()) {}
LiveEvents::~LiveEvents() = default;

void LiveEvents::follow(const detection::Timeline& timeline, const detection::EventSettings& settings,
                        std::vector<LiveChange>& changes) {
    if (impl_->generation != timeline.generation()) {
        end(changes);
        impl_->startAnew(timeline);
    }
    impl_->grid.duration = timeline.duration();
    impl_->rules.resize(impl_->followers.size());
    for (std::size_t c = 0; c < impl_->rules.size(); ++c)
        impl_->rules[c] = settings.ruleFor(static_cast<int>(c));
    impl_->keep(timeline);
    impl_->advance(changes, false);
    impl_->forgetOld();
}

void LiveEvents::end(std::vector<LiveChange>& changes) {
    impl_->advance(changes, true);
    *impl_ = {};
}

} // namespace earshot::streaming
