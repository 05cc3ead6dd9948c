// The rows of the event list: which events are listed, in which order, and what stays selected when more are
// heard. Pure: one thread at a time.
#pragma once

#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Labels.h"

#include <span>
#include <utility>
#include <vector>

namespace earshot::ui {

enum class EventColumn { time, sound, length, peak };

struct EventOrder {
    EventColumn column = EventColumn::time;
    bool descending = false;

    bool operator==(const EventOrder&) const = default;
};

class EventRows {
  public:
    // labels: for the order by name; `shown` (classes). True when rows changed in any way.
    bool update(std::span<const detection::Event> events, const detection::Labels* labels,
                const std::vector<bool>& shown, EventOrder order);

    std::span<const detection::Event> rows() const { return rows_; }
    int count() const { return static_cast<int>(rows_.size()); }
    // The first so many rows are the same events as before the last update.
    int unchanged() const { return unchanged_; }

    // An event stays the same one while its class and onset do.
    using Key = std::pair<int, double>;
    static Key key(const detection::Event& event) { return {event.classIndex, event.onset}; }

  private:
    std::vector<detection::Event> rows_;
    int unchanged_ = 0;
};

} // namespace earshot::ui
