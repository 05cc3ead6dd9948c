// Keeps the views' copy of the source's history, of the words, of what is taught and of the app's list, and
// the events derived from the history, up to date: 30 times a second while a view is open, every ten seconds
// otherwise. Of a recording whose channels are analysed each by itself, it has the history of each; views
// show one of them, and lists the events of all. Message thread.
#pragma once

#include "Core/Detection/Events/EventIndex.h"
#include "Core/Streaming/HistoryProvider.h"
#include "Core/Streaming/TimeMap.h"
#include "Ui/Controller.h"

#include <juce_events/juce_events.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace earshot::ui {

class HistoryViewModel : private juce::Timer {
  public:
    struct Changes {
        bool replaced = false;        // another source, model or stream: everything known before is gone
        bool sameAudio = false;       // with `replaced`: the same audio is scored for other words
        bool columns = false;         // new or revised columns or spectrogram frames
        std::int64_t firstColumn = 0; // the first column that is new or revised
        bool events = false;          // events or near misses
        bool others = false;          // columns of channels that are not shown
        bool status = false;          // or the app's audio device, settings and review
        bool labels = false;          // names of classes, or their number
        bool words = false;
        bool teaching = false;
        bool recordings = false; // the app's list
        bool clips = false;      // how far events are cut out
    };
    class Listener {
      public:
        virtual ~Listener() = default;
        virtual void historyChanged(const Changes& changes) = 0;
    };

    explicit HistoryViewModel(Controller& controller);
    ~HistoryViewModel() override;

    void addListener(Listener* listener);
    void removeListener(Listener* listener);

    std::function<void()> onTrouble; // in the catch block of an update that failed; the next one tries again
    // Does the timer's work. Tests call it themselves.
    void update();
    // Call it when a view opens: listeners hear of everything that is known.
    void start();
    void rest();  // Call it when no view is open any more.
    void watch(); // Watches though no view was open yet.

    // Of the channel that is shown, where a recording's channels are analysed each by itself.
    const streaming::History& history() const { return *shown().history; }
    double end() const; // stream seconds: the end of the visible stream
    const streaming::Status& status() const { return status_; }
    const juce::String& audioProblem() const { return audioProblem_; }
    const juce::String& unstoredProblem() const { return unstoredProblem_; } // with settings or a review
    juce::String whyNotPlayed() const; // why nothing can be played now: a sentence; empty: it can
    const Words& words() const { return words_; }
    const Teaching& teaching() const { return teaching_; }
    const RecordingList& recordings() const { return recordings_; }
    const ClipProgress& clips() const { return clips_; }
    const detection::EventIndex& events() const { return shown().events; } // of the channel that is shown
    // The events of all channels, with their numbers, by onset.
    const std::vector<detection::Event>& found() const;
    std::int64_t dropped() const; // of them, so far
    // The channels that are analysed, from 1, and the one that is shown; 0: their mix.
    const std::vector<int>& channels() const { return status_.channels; }
    int channel() const;
    void showChannel(int channel); // from the next update on; one that there is not is ignored
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
    // When the displayed time was 0, if times of day are shown: of a recording that knows its start, and live
    // in the app if the user wants it (ViewSettings::clock).
    std::optional<WallTime> began() const;
    // From stream time to the time that the user sees.
    const streaming::TimeMap& times() const;
    // By this computer's clock, of a live stream whose times are not the host's: when the time was 0 that
    // clockTimes() shows; null: nothing is heard live. The map leaves out what was not heard, as while the
    // device was away.
    const std::optional<WallTime>& clockStart() const { return clockStart_; }
    const streaming::TimeMap& clockTimes() const { return clockTimes_; }
    std::function<WallTime()> clock; // this computer's; tests set another

    // While frozen, history and events stand still and the source goes on. Opening or closing a recording
    // ends it.
    void setFrozen(bool frozen);
    bool frozen() const { return frozen_; }

  private:
    void timerCallback() override;

    // A history and its events.
    struct Part {
        std::unique_ptr<streaming::History> history = std::make_unique<streaming::History>();
        detection::EventIndex events;
    };

    Part& shown() { return parts_[shown_]; }
    const Part& shown() const { return parts_[shown_]; }
    void notify(const Changes& changes);
    void followSource(Changes& changes);
    void followChannels(Changes& changes);
    void followClock();
    void copyHistory(Changes& changes);
    void deriveEvents(Changes& changes);
    bool deriveEvents(Part& part, std::size_t most);
    void collectEvents();

    Controller& controller_;
    std::vector<Listener*> listeners_;
    std::deque<Part> parts_; // one for each channel, at least one
    std::size_t shown_ = 0;  // its place there
    int wantedChannel_ = 0;
    std::vector<detection::Event> found_; // of all channels, unless the mix is analysed
    streaming::Status status_;
    juce::String audioProblem_, unstoredProblem_;
    Words words_;
    Teaching teaching_;
    RecordingList recordings_;
    ClipProgress clips_;
    detection::EventSettings eventSettings_;
    std::optional<detection::RuleChoice> rules_;              // from which eventSettings_ were made
    std::shared_ptr<const detection::Labels> settingsLabels_; // and the labels for it
    std::vector<double> lastOffset_; // by class: seconds at which its last event ended
    std::optional<std::uint64_t> sourceId_;
    bool frozen_ = false;
    std::optional<WallTime> clockStart_;
    streaming::TimeMap clockTimes_;
    std::uint64_t clockStream_ = 0; // the stream (History::stream) that they are of
};

} // namespace earshot::ui
