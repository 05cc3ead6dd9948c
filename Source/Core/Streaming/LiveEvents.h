// Reports onsets and offsets as they happen, for MIDI and OSC. No report is ever withdrawn, and none comes
// twice. detection::EventMachine judges what is known after each pass: a machine per class holds the state
// after the settled columns, and a copy of it replays the columns that later windows may still change.
//
//   onset    as soon as the rules accept the event in any view of its columns
//   offset   once no later column can extend the event, and it has been over for `sureAfter`: the newest
//            columns have been heard without what follows them, and may still rise
//
// An event that is over for `latest` before it is first found is not reported. The worker's thread.
#pragma once

#include "Core/Detection/Events/EventMachine.h"
#include "Core/Detection/Events/Events.h"

#include <cstddef>
#include <cstdint>
#include <optional>
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
    static constexpr double sureAfter = 0.32; // seconds
    static constexpr double latest = 1.28;    // seconds

    // Appends what has changed since the last call. Changed settings apply to columns that are not settled.
    // Classes without an override in `settings` use settings.rule.
    void follow(const detection::Timeline& timeline, const detection::EventSettings& settings,
                std::vector<LiveChange>& changes);
    // Ends all open events and starts anew: the stream was released, or the history replaced. goesOn: the
    // same stream has other classes from here on; those that sound begin again, and what is over is not told.
    void end(std::vector<LiveChange>& changes, bool goesOn = false);
    // Call it before the first follow(): what was over by that time, in stream seconds, is not told.
    // continued: nor is what sounded then, up to that time.
    void beginAt(double from, bool continued = false) {
        now_ = toldBefore_ = from;
        toldUntil_ = continued ? from : 0.0;
    }

  private:
    struct Sounding {
        detection::Event event; // with the offset so far
        double seen = 0.0;      // when a view last had it
    };
    struct OneClass {
        detection::EventMachine settled;
        detection::EventMachine view; // `settled` after the columns that may change
        // Accepted and not over: in the settled columns, and in the view.
        std::optional<detection::Event> settledOpen, viewOpen;
        std::optional<Sounding> sounding; // the onset is reported, the offset is not
        double toldUntil = 0.0;           // the last reported offset
        double lateBefore = 0.0;          // what was over by then and was not reported never is
    };

    void judge(std::size_t classIndex, const detection::Timeline& timeline, const detection::EventRule& rule);
    std::optional<detection::Event> open() const;
    void report(OneClass& one, bool ends);
    void take(OneClass& one, detection::Event event, bool over);
    void tellOffset(OneClass& one);
    void moveTo(std::vector<LiveChange>& changes);

    std::uint64_t generation_ = 0; // the timeline's
    std::vector<OneClass> classes_;
    double now_ = 0.0;                  // the end of the newest column
    double before_ = 0.0;               // the same at the last call
    double toldBefore_ = 0.0;           // what was over by then, other classes or another model told
    double toldUntil_ = 0.0;            // OneClass::toldUntil at first
    double settledUntil_ = 0.0;         // no later column changes anything before
    std::vector<const float*> columns_; // those that may change
    // Of one class at a time: the events that the rules accept, of which the first ones are over, in order.
    std::vector<detection::Event> accepted_;
    detection::EventList ended_;
    std::vector<LiveChange> found_; // of this call
};

} // namespace earshot::streaming
