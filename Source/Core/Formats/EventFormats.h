// Events as files that other programs open. Pure functions: any thread.
//   csv       file, onset_s, offset_s, label, class_index, peak, mean (RFC 4180)
//   json      an array of objects with the same names
//   audacity  Audacity's label track: onset, offset, label, tab-separated, seconds
//   midi      a Standard MIDI File, format 0, 480 ticks a quarter at 120 BPM: a note per event (see
//   MidiMap.h)
#pragma once

#include "Core/Formats/MidiMap.h"

#include <span>
#include <string>
#include <string_view>

namespace earshot::formats {

struct TimedEvent {
    std::string file;   // csv and json only
    double onset = 0.0; // seconds; negative ones (a host's pre-roll) are written as they are, in MIDI as 0
    double offset = 0.0;
    std::string label;
    int classIndex = 0;
    float peak = 0.0f; // probability
    float mean = 0.0f;
};

enum class EventFormat { csv, json, audacity, midi };

// ".csv", ".json", ".txt", ".mid"
const char* extension(EventFormat format);

// The whole document. `map` is for midi alone.
std::string document(EventFormat format, std::span<const TimedEvent> events, const MidiMap& map = {});

// Pieces for whoever writes event by event.
std::string csvHeader();
std::string csvLine(const TimedEvent& event);
std::string jsonObject(const TimedEvent& event);

} // namespace earshot::formats
