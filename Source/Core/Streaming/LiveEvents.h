// Onsets and offsets as they happen, for MIDI and OSC: every column counts once, when it first appears, so
// nothing is ever taken back. The rules are detection::EventMachine's; an onset is reported once they are
// sure of it, an offset once no later column can extend the event. The worker's thread.
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
    detection::Event event; // stream seconds; at an onset, offset, peak and mean are those so far
};

class LiveEvents {
  public:
    // Appends what the timeline's new columns begin and end. A rule that changed holds from here on; classes
    // beyond settings' overrides use settings.rule.
    void follow(const detection::Timeline& timeline, const detection::EventSettings& settings,
                std::vector<LiveChange>& changes);
    // Ends everything that sounds (the stream was released, or the history replaced) and starts anew.
    void end(std::vector<LiveChange>& changes);

  private:
    void take(std::size_t firstChange, std::vector<LiveChange>& changes);

    std::uint64_t generation_ = 0;                  // of the timeline
    std::vector<detection::EventMachine> machines_; // of each class
    // Since the last look:
    std::vector<detection::Event> onsets_;
    detection::EventList ended_;
};

} // namespace earshot::streaming
