// Events as files that other programs open: what an event is there, which formats there are, and a whole
// document at once. ResultDocument.h writes documents of several recordings. Pure functions: any thread.
#pragma once

#include "Core/Formats/MidiMap.h"

#include <span>
#include <string>

namespace earshot::formats {

struct TimedEvent {
    std::string file; // the recording, as results name it
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

enum class EventFormat {
    csv,
    json,
    jsonl,
    audacity,
    raven,
    dcase,
    kaleidoscope,
    reaper,
    audition,
    webvtt,
    midi
};

// Of a file that holds nothing else: ".csv", ".txt", ".mid"
const char* extension(EventFormat format);

// The whole document, of one recording. `map` is for midi alone.
std::string document(EventFormat format, std::span<const TimedEvent> events, const MidiMap& map = {});

} // namespace earshot::formats
