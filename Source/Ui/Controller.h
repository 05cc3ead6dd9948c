// Everything that the views ask of the program around them. The plugin's processor implements it; tests use a
// simple stand-in. Message thread.
#pragma once

#include "Core/Base/WallTime.h"
#include "Core/Detection/Events/Rules.h"
#include "Core/Formats/MidiMap.h"
#include "Core/Streaming/FilePlayer.h"
#include "Core/Streaming/Source.h"
#include "Ui/ViewState.h"

#include <juce_audio_processors/juce_audio_processors.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::ui {

class Watcher;

struct OutputSettings {
    bool osc = false;
    juce::String oscHost = "127.0.0.1";
    int oscPort = 9000;
    bool oscActivation = false; // also /earshot/activation, every column
    juce::String instance; // a name for this instance in OSC and event log; empty: its track's, or a number
    formats::MidiMap midi;

    bool operator==(const OutputSettings&) const = default;
};

// A text that is listened for.
struct Word {
    int id = 0;       // stable, 1 or more: MIDI notes and the project refer to it
    std::string text; // "a dog barks"
    std::string name; // of its lane: the class's name in streaming::History::labels; unique

    bool operator==(const Word&) const = default;
};

// What can be typed, and what was.
struct Words {
    static constexpr std::size_t most = 256;

    bool possible = false;   // the model can listen for texts
    bool joins = false;      // words stand beside the model's classes, else in their place
    bool busy = false;       // the text half is being read, or texts are embedded
    juce::String hint;       // what to do, or what went wrong: a sentence; may be empty
    juce::String price;      // what listening for words takes, before the first is typed; may be empty
    std::vector<Word> words; // in the order of their lanes

    bool operator==(const Words&) const = default;
};

// A sound that the user teaches by examples.
struct TaughtSound {
    juce::String name;
    int examples = 0;         // stretches that are it
    int counterExamples = 0;  // stretches that are not
    double seconds = 0.0;     // of the examples
    int sources = 0;          // recordings or streams they come from
    bool learnt = false;      // the present model has it, from just these examples
    juce::String reliability; // "finds about 8 in 10", or what is missing: a sentence; may be empty

    bool operator==(const TaughtSound&) const = default;
};

// The user's collection of examples, and what was learnt from it.
struct Teaching {
    bool possible = false;           // the model can be taught; else `hint` says why not
    juce::String hint;               // what to do, or what went wrong: sentences; may be empty
    juce::File folder;               // the collection's; it need not exist yet
    std::vector<TaughtSound> sounds; // by name
    bool keepsAudio = false;         // what is heard live is kept, so that it can be marked
    bool learning = false;
    double progress = 0.0; // 0 to 1, while learning
    juce::String doing;    // "Hearing the examples", while learning
    juce::String outcome;  // how the last learning ended: a sentence; empty before
    bool canLearn = false; // the present model has not learnt something, or there is a newer one to learn
    bool canUndo = false;  // there is a model from before the last learning

    bool operator==(const Teaching&) const = default;
};

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
    bool boxes = false;    // they were chosen by confidence
    std::int64_t more = 0; // events beyond `most`, which the folders of results have
};

// The app's list of recordings, and the batch that hears them. Cheap to copy: what it points at is never
// changed but replaced, and two are equal if they point at the same.
struct RecordingList {
    bool possible = false; // there is such a list: in the app
    bool hearing = false;  // a batch runs
    double progress = 0.0; // 0 to 1, while one runs
    juce::String doing;    // "dawn: 3 of 12 recordings", while one runs or folders are searched
    juce::String hint;     // what to do, or what happened: a sentence; may be empty
    bool canAgain = false; // there are results of other settings, which can be made anew
    std::shared_ptr<const std::vector<ListedRecording>> recordings; // null: none
    std::shared_ptr<const ListedEvents> events;                     // null: none

    const std::vector<ListedRecording>& rows() const {
        static const std::vector<ListedRecording> none;
        return recordings != nullptr ? *recordings : none;
    }
    bool operator==(const RecordingList&) const = default;
};

inline constexpr int minZoom = 75, maxZoom = 200; // percent

class Controller {
  public:
    virtual ~Controller() = default;

    // The history that is shown: the live stream's, or that of the open recording or the last bounce. Valid
    // until sourceId() changes.
    virtual streaming::Source& source() = 0;
    virtual std::uint64_t sourceId() const = 0;
    // The watcher of that history. It outlives the views, so that events stay known when their columns are
    // dropped while no view is open.
    virtual Watcher& watcher() = 0;

    virtual juce::AudioProcessorValueTreeState& parameters() = 0; // see ParameterIds.h
    virtual ViewState& view() = 0;
    // The rules that the parameters and the per-class thresholds give for a model's labels and columns.
    virtual detection::RuleChoice rules(const detection::Labels& labels, double secondsPerColumn) const = 0;

    virtual void loadModel(const juce::File& file) = 0;
    virtual void loadDefaultModel() = 0;
    virtual juce::Array<juce::File> recentModels() const = 0;

    virtual Words words() const = 0;
    // Listens for a text, "a dog barks", or with a name for its lane, "a dog barks=Dog". Returns why not: a
    // sentence for the user; empty if it is done. The lane appears once the text is embedded.
    virtual juce::String addWord(const juce::String& given) = 0;
    virtual juce::String renameWord(int id, const juce::String& name) = 0; // as addWord()
    virtual void moveWord(int id, int places) = 0;                         // down; negative: up
    virtual void removeWord(int id) = 0;
    virtual void setWordsJoin(bool join) = 0;

    virtual Teaching teaching() const = 0;
    // Keeps a stretch of what is shown (seconds of the stream or recording) as an example of `sound`, or,
    // with `is` false, as one of what is not that sound. Nothing is kept of a live stream that is not the one
    // shown (streaming::History::stream), as in a frozen view. Where this and the functions below return a
    // text, it says why nothing was done: a sentence for the user; empty if it is done.
    virtual juce::String teach(const juce::String& sound, std::uint64_t stream, double onset, double offset,
                               bool is) = 0;
    virtual juce::String renameTaught(const juce::String& sound, const juce::String& name) = 0;
    virtual juce::String forgetTaught(const juce::String& sound) = 0; // its examples go to the trash
    virtual juce::String openCollection(const juce::File& folder) = 0;
    // Adds a folder that holds a folder of clips for each sound. One that is a collection itself is opened.
    virtual juce::String addExamples(const juce::File& folder) = 0;
    virtual juce::String learn() = 0; // in the background; the model that results is loaded at once
    virtual void stopLearning() = 0;
    virtual juce::String undoLearning() = 0; // loads the model from before
    virtual void setKeepsAudio(bool keeps) = 0;
    // The panel opens: from here on what is heard live is kept, unless that was switched off.
    virtual void openTeaching() = 0;

    virtual OutputSettings outputs() const = 0;
    virtual void setOutputs(const OutputSettings& settings) = 0;
    virtual juce::String outputsProblem() const = 0; // "port 9000 cannot be opened ...", or empty
    // The host to which a project wants to send OSC and that the user has not allowed yet; empty if there is
    // none.
    virtual juce::String hostToAllow() const = 0;
    virtual void allowHost() = 0;

    virtual RecordingList recordings() const = 0;
    // Lists files and the recordings below folders. Those of folders are heard at once, in the background,
    // into a folder beside the dropped one.
    virtual void addRecordings(const juce::StringArray& paths) = 0;
    virtual void removeRecording(int id) = 0; // from the list; its files stay
    // Hears all that is listed, as far as its folder of results lacks it. again: also where that has results
    // of other settings, which are replaced. Where this and the next function return a text, it says why
    // nothing was done.
    virtual juce::String analyseRecordings(bool again) = 0;
    virtual void stopRecordings() = 0; // what was heard stays, and is not heard again
    // Another folder for the results of this recording and of those that were dropped with it.
    virtual juce::String setResults(int id, const juce::File& folder) = 0;

    // Shows a recording instead of the live stream.
    virtual void openRecording(const juce::File& file) = 0;
    virtual void cancelRecording() = 0; // keeps what was heard so far
    virtual void closeRecording() = 0;  // back to the live stream
    virtual bool showsRecording() const = 0;
    virtual juce::File recording() const = 0; // no file while the last bounce is shown
    // The last bounce of the host is kept until the next one. It is shown as a recording is, at first by
    // itself. closeRecording() leads from it back to the live stream, too.
    virtual bool hasBounce() const = 0;
    virtual void showBounce() = 0;
    virtual streaming::FilePlayer* player() = 0; // null where recordings cannot be played (in a DAW)
    // The player, if a recording is shown that can be played; else null.
    streaming::FilePlayer* playable() {
        auto* own = showsRecording() ? player() : nullptr;
        return own != nullptr && own->length() > 0.0 ? own : nullptr;
    }

    // How large the view is, in percent of what the system and the host ask for: the user's choice, for all
    // projects on this computer.
    virtual int zoom() const = 0;
    virtual void setZoom(int percent) = 0;

    // These are for the desktop app alone.
    virtual bool hasAudioSettings() const = 0;
    virtual void showAudioSettings() = 0;
    // A sentence where no device is open, or settings are not stored; else empty.
    virtual juce::String audioProblem() const = 0;
    virtual bool monitorsInput() const = 0; // the input is passed on to the output
    virtual void setMonitorsInput(bool monitors) = 0;
};

} // namespace earshot::ui
