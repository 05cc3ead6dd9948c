// What the views ask of the app's list of recordings. Message thread.
#pragma once

#include "Core/Base/WallTime.h"

#include <juce_core/juce_core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::ui {

// A recording of the app's list.
struct ListedRecording {
    enum class State { waiting, hearing, done, failed };

    int id = 0; // stable, 1 or more
    juce::File file;
    juce::String name;    // below the folder that was dropped
    double seconds = 0.0; // its length; 0: not known
    State state = State::waiting;
    double share = 0.0;  // 0 to 1, how much was heard, while it is heard
    int events = 0;      // that were found in it
    juce::String mostly; // the sound that its events cover longest, else the likeliest one; may be empty
    juce::String why;    // it failed: a sentence
    juce::File results;  // the folder that they are written to
    std::optional<WallTime> start = {}; // when it began; null: it was not heard yet, or nothing says so
};

struct ListedEvent {
    int recording = 0;      // ListedRecording::id
    int sound = 0;          // its place in ListedEvents::sounds
    double onset = 0.0;     // seconds
    double offset = 0.0;    // seconds
    float certainty = 0.0f; // its confidence, or its peak where thresholds decided
    int channel = 0;        // of the recording, from 1; 0: the mix
};

// The events of all listed recordings, in no order.
struct ListedEvents {
    static constexpr std::size_t most = 200'000;

    std::vector<std::string> sounds; // names
    std::vector<ListedEvent> events;
    bool sebbs = false;    // they were chosen by confidence
    std::int64_t more = 0; // events beyond `most`, which the folders of results have
};

// How the last table of all recordings was written.
struct JoinedTable {
    int work = 0; // its number, 1 or more; 0: there was none yet
    juce::File file;
    juce::String outcome; // a sentence
    bool failed = false;

    bool operator==(const JoinedTable&) const = default;
};

// The app's list of recordings, and the batch that hears them. Cheap to copy: what it points at is never
// changed but replaced, and two are equal if they point at the same.
struct RecordingList {
    bool possible = false; // there is such a list: in the app
    bool hearing = false;  // a batch runs
    double progress = 0.0; // 0 to 1, while one runs
    juce::String doing;    // "dawn: 3 of 12 recordings", while one runs or folders are searched
    juce::String hint;     // what to do, or what happened: a sentence; may be empty
    bool canAgain = false; // there are results of other settings, which can be replaced
    JoinedTable table;     // that was written last
    std::shared_ptr<const std::vector<ListedRecording>> recordings; // null: none
    std::shared_ptr<const ListedEvents> events;                     // null: none

    const std::vector<ListedRecording>& rows() const {
        static const std::vector<ListedRecording> none;
        return recordings != nullptr ? *recordings : none;
    }
    bool operator==(const RecordingList&) const = default;
};

class RecordingControl {
  public:
    virtual ~RecordingControl() = default;

    virtual RecordingList state() const = 0;
    // Lists files and the recordings below folders. Those of folders are heard at once, in the background,
    // into a folder beside the dropped one.
    virtual void add(const juce::StringArray& paths) = 0;
    virtual void remove(int id) = 0; // from the list; its files stay
    // Hears all that is listed, as far as its folder of results lacks it. again: also where that has results
    // of other settings, which are replaced. Where this and the next function return a text, it says why
    // nothing was done.
    virtual juce::String analyse(bool again) = 0;
    virtual void stop() = 0; // what was heard stays, and is not heard again
    // Writes the events of all finished recordings into one CSV, in the background; an older file is
    // replaced. RecordingList::table says how it ended.
    virtual juce::String writeTable(const juce::File& file) = 0;
    // Another folder for the results of this recording and of those that were dropped with it.
    virtual juce::String setResults(int id, const juce::File& folder) = 0;
};

} // namespace earshot::ui
