// Events as files for other programs: the fields of an event, the list of formats, and how documents are
// written. A new format is a document (Documents.h) and an entry of the table in EventFormats.cpp. The
// command line, batches and the views read that table. Any thread; a document belongs to one at a time.
#pragma once

#include "Core/Formats/MidiMap.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::formats {

struct TimedEvent {
    // Seconds. A time before 0 (a host's pre-roll) is kept in csv, json, jsonl and audacity. The other
    // formats know no such time and get 0.
    double onset = 0.0;
    double offset = 0.0;
    std::string label;
    int classIndex = 0;
    float peak = 0.0f; // probability
    float mean = 0.0f;
    float confidence = 0.0f; // the probability that the event is right; 0 where thresholds decided
};

// The certainty of an event, for formats with one number for it.
inline float certainty(const TimedEvent& event) {
    return event.confidence > 0.0f ? event.confidence : event.peak;
}

// One recording and its events.
struct RecordingEvents {
    std::string file;     // the name in results
    double seconds = 0.0; // of audio
    int sampleRate = 0;   // Hz
    int channels = 0;
    bool complete = true;  // false: the recording is damaged, or the analysis was stopped
    double lowestHz = 0.0; // the model's frequency range, for formats whose events have one
    double highestHz = 0.0;
    std::vector<TimedEvent> events; // by onset
};

// A document is text (or bytes) that grows recording by recording, so that a batch of any size is written as
// it goes: begin(), add() for each recording (only one if the format does not join), end().
class ResultDocument {
  public:
    virtual ~ResultDocument() = default;

    virtual std::string begin() { return {}; }
    virtual std::string add(const RecordingEvents& recording) = 0;
    virtual std::string end() { return {}; }
};

struct EventFormat {
    std::string_view name;   // the option of the command line: "audacity"
    std::string_view suffix; // of a recording's own file: ".audacity.txt"
    bool joins;              // one document can hold several recordings
    // `map` is used by midi alone.
    std::unique_ptr<ResultDocument> (*makeDocument)(const MidiMap& map);
    std::string_view button = {}; // its button in the views; empty: the views do not export it
    std::string_view holds = {};  // the description for users: "a label track for Audacity"

    // The extension of a file in this format alone: ".csv", ".txt", ".mid"
    std::string extension() const { return std::string(suffix.substr(suffix.rfind('.'))); }
};

// The table. Its entries live as long as the program.
std::span<const EventFormat> allFormats();
std::vector<std::string> formatNames();
// Null if there is no such format.
const EventFormat* formatNamed(std::string_view name);

// The whole document of one recording.
std::string document(const EventFormat& format, const RecordingEvents& recording, const MidiMap& map = {});

} // namespace earshot::formats
