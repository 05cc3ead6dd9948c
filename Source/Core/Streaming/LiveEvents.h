// Reports onsets and offsets as they happen, for MIDI and OSC. Each column counts once, when it first
// appears, so no report is ever withdrawn. detection::EventMachine judges: an onset is reported once it is
// certain, an offset once no later column can extend the event. The worker's thread.
#pragma once

#include "Core/Detection/Events/EventMachine.h"
#include "Core/Detection/Events/Events.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace earshot::detection {
class Timeline;
}

namespace earshot::streaming {

struct LiveChange {
    enum class Kind { onset, offset };
    Kind kind = Kind::onset;
    detection::Event event; // stream seconds; an onset's event has the offset, peak and mean so far
};

class LiveEvents {
  public:
    // Appends the onsets and offsets in the timeline's new columns. A changed rule applies to these columns,
    // not to earlier ones. Classes without an override in `settings` use settings.rule.
    void follow(const detection::Timeline& timeline, const detection::EventSettings& settings,
                std::vector<LiveChange>& changes);
    // Ends all open events and starts anew: the stream was released, or the history replaced.
    void end(std::vector<LiveChange>& changes);

  private:
    void take(std::size_t firstChange, std::vector<LiveChange>& changes);

    std::uint64_t generation_ = 0;                  // the timeline's
    std::vector<detection::EventMachine> machines_; // (classes)
    // Not yet moved to `changes`:
    std::vector<detection::Event> onsets_;
    detection::EventList ended_;
};

} // namespace earshot::streaming
