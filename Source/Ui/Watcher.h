// Keeps the views' copy of what the source has heard, and the events derived from it, up to date: 30 times a
// second while something is shown, every ten seconds otherwise. Message thread.
#pragma once

#include "Core/Detection/Events/EventIndex.h"
#include "Core/Streaming/Source.h"
#include "Ui/Controller.h"

#include <juce_events/juce_events.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace earshot::ui {

class Watcher : private juce::Timer {
  public:
    struct Changes {
        bool replaced = false;        // another source, model or stream: nothing of before is left
        bool columns = false;         // new or revised columns or spectrogram frames
        std::int64_t firstColumn = 0; // the first column that is new or revised
        bool events = false;          // events or near misses
        bool status = false;
    };
    class Listener {
      public:
        virtual ~Listener() = default;
        virtual void heardMore(const Changes& changes) = 0;
    };

    explicit Watcher(Controller& controller);
    ~Watcher() override;

    void addListener(Listener* listener);
    void removeListener(Listener* listener);

    std::function<void()> onTrouble; // an update failed; the next one tries again
    // What the timer does; tests call it themselves.
    void update();
    // Something is shown from now on: listeners hear of all that is known.
    void start();
    void rest();  // Nothing is shown from now on.
    void watch(); // though nothing was shown yet

    const streaming::History& history() const { return *history_; }
    double end() const; // stream seconds: the end of what can be drawn
    const streaming::Status& status() const { return status_; }
    const detection::EventIndex& events() const { return events_; }
    const detection::EventSettings& eventSettings() const { return eventSettings_; }
    // Newest column's probability of a class, 0 when there is none.
    float now(int classIndex) const;
    // Whether the class sounds now: an event reaches to the newest column, or ended less than `hold` ago.
    bool sounding(int classIndex) const;
    // Label of a class, empty when out of range.
    juce::String label(int classIndex) const;
    // "01:02.9", the time people see for a stream time.
    juce::String timeText(double streamSeconds) const;

    // While frozen, history and events stand still; the source goes on. Another source (a recording that is
    // opened or closed) thaws.
    void setFrozen(bool frozen);
    bool frozen() const { return frozen_; }

  private:
    void timerCallback() override;

    void tell(const Changes& changes);
    void followSource(Changes& changes);
    void copyHistory(Changes& changes);
    void deriveEvents(Changes& changes);

    Controller& controller_;
    std::vector<Listener*> listeners_;
    std::unique_ptr<streaming::History> history_;
    streaming::Status status_;
    detection::EventIndex events_;
    detection::EventSettings eventSettings_;
    std::optional<detection::RuleChoice> rules_;              // eventSettings_ were made from
    std::shared_ptr<const detection::Labels> settingsLabels_; // and for these
    std::vector<double> lastOffset_;                          // by class: seconds of its last event's end
    std::optional<std::uint64_t> sourceId_;
    bool frozen_ = false;
};

} // namespace earshot::ui
