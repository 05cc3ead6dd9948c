// Writes events as files that other programs open: defines an event and the table of formats, and writes
// documents. The table in EventFormats.cpp has one entry per format; a new format needs a document
// (Documents.h) and an entry. The command line, batches and the views list the table. Any thread; one thread
// at a time uses a document.
#pragma once

#include "Core/Base/WallTime.h"
#include "Core/Formats/MidiMap.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::formats {

struct TimedEvent {
    // Seconds. Onsets before 0 (a host's pre-roll) are written unchanged in csv, json, jsonl and audacity;
    // the other formats begin at 0, because their programs have no negative times.
    double onset = 0.0;
    double offset = 0.0;
    std::string label;
    int classIndex = 0;
    float peak = 0.0f; // probability
    float mean = 0.0f;
    // probability that the event is right; 0 if thresholds decided
    float confidence = 0.0f;
    int channel = 0; // of the recording, counted from 1; 0: the mix
};

// The confidence for formats that have room for only one: the event's own, or else its peak.
inline float certainty(const TimedEvent& event) {
    return event.confidence > 0.0f ? event.confidence : event.peak;
}

// The label for formats without a column for channels: "Dog", or "Dog (channel 2)" of one that was chosen.
std::string labelWithChannel(const TimedEvent& event);

// A sound and how sure the model is that it is in a recording.
struct SoundScore {
    std::string label = {};
    int classIndex = 0;
    float score = 0.0f; // the largest probability of its columns

    bool operator==(const SoundScore&) const = default;
};

// What nearly was an event.
struct NearMiss {
    TimedEvent event;
    std::string why; // it is none: "Not an event: 0.46 is below the threshold 0.50"
};

// The highest probability in a recording: what came nearest to an event if there is none.
struct NearestSound {
    int classIndex = 0;
    float peak = 0.0f; // probability
    double time = 0.0; // seconds
    // the threshold that it would have had to reach; 0 if boxes were chosen
    float threshold = 0.0f;
    // whether one column at the threshold is an event: no filter and no shortest length drops it
    bool columnSuffices = true;
    std::string label = {};

    bool operator==(const NearestSound&) const = default;
};

// The sounds that a recording's result keeps with the highest scores.
inline constexpr int maxTopSounds = 10;

// One recording and its events: what the engine found, with names, as every format writes it.
struct RecordingEvents {
    std::string file;     // its name in results
    double seconds = 0.0; // of audio
    int sampleRate = 0;   // Hz
    int channels = 0;
    bool complete = true; // false: damaged, or stopped
    // the frequencies that the model receives, for formats whose events have a frequency range
    double minHz = 0.0;
    double maxHz = 0.0;
    std::vector<TimedEvent> events = {}; // by onset
    // The maxTopSounds sounds with the highest scores, highest first, whether or not they are events; fewer
    // if fewer are asked for. Empty: it is too short, or a journal of an earlier version did not keep them.
    std::vector<SoundScore> top = {};
    std::optional<WallTime> start = {}; // when its first sample was recorded, if that is known
    // The folder that the run's recordings lie in, and the recording's own path, both absolute and with
    // slashes; empty: not known, as for standard input.
    std::string folder = {};
    std::string path = {};
    // For who misses a sound; only of recordings that were analysed just now.
    std::vector<NearMiss> nearMisses = {}; // by onset, if they are asked for
    std::optional<NearestSound> nearest = {};
    std::optional<double> level = {}; // of its loudest second, in dB below full scale (RMS)
};

// When the event began; null if the recording's start is not known.
inline std::optional<WallTime> timeOf(const RecordingEvents& recording, const TimedEvent& event) {
    return recording.start ? std::optional(later(*recording.start, event.onset)) : std::nullopt;
}

// A document is text (or bytes) that grows recording by recording, so that a batch of any size is written as
// it goes: begin(), add() for each recording (for only one if the format does not join), end().
class ResultDocument {
  public:
    virtual ~ResultDocument() = default;

    virtual std::string begin() { return {}; }
    virtual std::string add(const RecordingEvents& recording) = 0;
    virtual std::string end() { return {}; }
};

struct EventFormat {
    std::string_view name;   // on the command line: "audacity"
    std::string_view suffix; // suffix of the file of one recording: ".audacity.txt"
    bool joins;              // one document can hold several recordings
    // Only midi uses `map`.
    std::unique_ptr<ResultDocument> (*makeDocument)(const MidiMap& map);
    std::string_view title; // for people: "Audacity labels"

    // The extension of a file of that format: ".csv", ".txt", ".mid"
    std::string extension() const { return std::string(suffix.substr(suffix.rfind('.'))); }
};

// The table; entries live as long as the program.
std::span<const EventFormat> allFormats();
std::vector<std::string> formatNames();
// Returns null if no format has that name.
const EventFormat* formatNamed(std::string_view name);

// Returns the whole document of one recording.
std::string document(const EventFormat& format, const RecordingEvents& recording, const MidiMap& map = {});

} // namespace earshot::formats
