// Keeps the views' copy of the source's history, of the words, of what is taught and of the app's list, and
// the events derived from the history, up to date: 30 times a second while a view is open, every ten seconds
// otherwise. Message thread.
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
        bool replaced = false;        // another source, model or stream: everything known before is gone
        bool sameAudio = false;       // with `replaced`: the same audio is scored for other words
        bool columns = false;         // new or revised columns or spectrogram frames
        std::int64_t firstColumn = 0; // the first column that is new or revised
        bool events = false;          // events or near misses
        bool status = false;          // or the app's audio device
        bool labels = false;          // names of classes, or their number
        bool words = false;
        bool teaching = false;
        bool recordings = false; // the app's list
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
    // Does the timer's work. Tests call it themselves.
    void update();
    // Call it when a view opens: listeners hear of everything that is known.
    void start();
    void rest();  // Call it when no view is open any more.
    void watch(); // Watches though no view was open yet.

    const streaming::History& history() const { return *history_; }
    double end() const; // stream seconds: the end of the visible stream
    const streaming::Status& status() const { return status_; }
    const juce::String& audioProblem() const { return audioProblem_; }
    const Words& words() const { return words_; }
    const Teaching& teaching() const { return teaching_; }
    const RecordingList& recordings() const { return recordings_; }
    const detection::EventIndex& events() const { return events_; }
    const detection::EventSettings& eventSettings() const { return eventSettings_; }
    // Whether the events may be chosen by confidence: a recording is shown, and its model has boxes.
    bool offersConfidence() const;
    bool byConfidence() const; // it is offered and chosen
    // The newest column's probability of a class, 0 if there is none.
    float now(int classIndex) const;
    // Whether the class sounds now: an event reaches the newest column, or ended less than `hold` ago.
    bool sounding(int classIndex) const;
    // Label of a class, empty when out of range.
    juce::String label(int classIndex) const;
    // "01:02.9": a stream time as the user sees it; "02:30:02.9" in a recording whose start is known.
    juce::String timeText(double streamSeconds) const;

    // While frozen, history and events stand still and the source goes on. Opening or closing a recording
    // ends it.
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
    juce::String audioProblem_;
    Words words_;
    Teaching teaching_;
    RecordingList recordings_;
    detection::EventIndex events_;
    detection::EventSettings eventSettings_;
    std::optional<detection::RuleChoice> rules_;              // from which eventSettings_ were made
    std::shared_ptr<const detection::Labels> settingsLabels_; // and the labels for it
    std::vector<double> lastOffset_; // by class: seconds at which its last event ended
    std::optional<std::uint64_t> sourceId_;
    bool frozen_ = false;
};

} // namespace earshot::ui
