// Events as files that other programs open: what an event is there, which formats there are, and how their
// documents are written. A format is one entry of the table in EventFormats.cpp: a new one is a document
// (Documents.h) and its entry. The command line, batches and the views list what stands there. Any thread; a
// document belongs to one at a time.
#pragma once

#include "Core/Formats/MidiMap.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::formats {

struct TimedEvent {
    // Seconds. What begins before 0 (a host's pre-roll) is written as it is in csv, json, jsonl and audacity,
    // and from 0 in the other formats, whose programs know no such time.
    double onset = 0.0;
    double offset = 0.0;
    std::string label;
    int classIndex = 0;
    float peak = 0.0f; // probability
    float mean = 0.0f;
    float confidence = 0.0f; // that it is right, probability; 0 where thresholds decided
};

// The one number of formats that have one for it.
inline float certainty(const TimedEvent& event) {
    return event.confidence > 0.0f ? event.confidence : event.peak;
}

// One recording and what was heard in it.
struct RecordingEvents {
    std::string file;     // as results name it
    double seconds = 0.0; // of audio
    int sampleRate = 0;   // Hz
    int channels = 0;
    bool complete = true;  // false: damaged, or stopped
    double lowestHz = 0.0; // what the model hears of it, for formats whose events have a frequency range
    double highestHz = 0.0;
    std::vector<TimedEvent> events; // by onset
};

// A document is text (or bytes) made recording by recording, so that a batch of any size is written as it
// goes: begin(), add() for each recording (one alone where the format does not join), end().
class ResultDocument {
  public:
    virtual ~ResultDocument() = default;

    virtual std::string begin() { return {}; }
    virtual std::string add(const RecordingEvents& recording) = 0;
    virtual std::string end() { return {}; }
};

struct EventFormat {
    std::string_view name;   // on the command line: "audacity"
    std::string_view suffix; // of a recording's own file: ".audacity.txt"
    bool joins;              // one document can hold several recordings
    // `map` is for midi alone.
    std::unique_ptr<ResultDocument> (*makeDocument)(const MidiMap& map);
    std::string_view button = {}; // in the views; empty: it is not among their exports
    std::string_view holds = {};  // for people: "a label track for Audacity"

    // Of a file that holds nothing else: ".csv", ".txt", ".mid"
    std::string extension() const { return std::string(suffix.substr(suffix.rfind('.'))); }
};

// The table; entries live as long as the program.
std::span<const EventFormat> allFormats();
std::vector<std::string> formatNames();
// Null when there is none.
const EventFormat* formatNamed(std::string_view name);

// The whole document of one recording.
std::string document(const EventFormat& format, const RecordingEvents& recording, const MidiMap& map = {});

} // namespace earshot::formats
