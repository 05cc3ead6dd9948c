// What the views ask of cutting events out of a recording as audio files. Message thread.
#pragma once

#include <juce_core/juce_core.h>

#include <cstdint>
#include <string>
#include <vector>

namespace earshot::ui {

enum class ClipFormat { asRecording, wav, flac }; // asRecording: FLAC of a FLAC file, else WAV

struct ClipRequest {
    struct Event {
        double onset = 0.0, offset = 0.0; // seconds of the recording
        std::string label;
        float peak = 0.0f, confidence = 0.0f; // probabilities; 0: there is none
    };
    juce::File recording;
    juce::File folder; // for the clips; it is made if it is not there
    ClipFormat format = ClipFormat::asRecording;
    double handles = 0.0;      // seconds before and after each event
    std::vector<Event> events; // in any order
};

// How far the cutting is, or how it ended.
struct ClipProgress {
    int work = 0; // its number, 1 or more; 0: there was none yet
    bool running = false;
    int done = 0, all = 0; // clips
    juce::File folder;
    juce::String outcome; // how it ended: a sentence
    bool failed = false;  // something could not be cut

    bool operator==(const ClipProgress&) const = default;
};

// Files to drag out of the window.
struct DraggedClips {
    juce::StringArray files; // their paths; empty: they are not ready
    juce::String problem;    // why there are none: a sentence; may be empty

    bool operator==(const DraggedClips&) const = default;
};

class ClipControl {
  public:
    virtual ~ClipControl() = default;

    virtual ClipProgress state() const = 0;
    // Cuts in the background. Nothing is replaced. Returns why nothing was begun: a sentence, or an empty
    // text.
    virtual juce::String cut(const ClipRequest& request) = 0;
    virtual void stop() = 0; // clips that are whole stay

    static constexpr double maxDragged = 120.0; // seconds, of all events together
    // Makes a WAV of each event to drag out of the window, in the background: of the request's recording or,
    // if it has none, of the kept audio of the history that is shown (streaming::History::stream). Format,
    // folder and handles of the request do not count: the files lie in a folder of their own for about a day.
    virtual void prepareDrag(const ClipRequest& request, std::uint64_t stream) = 0;
    virtual DraggedClips dragged() const = 0; // of the last prepareDrag()
};

} // namespace earshot::ui
