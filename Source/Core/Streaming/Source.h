// What can be watched while it is analysed: a live stream (Session) or a recording (FileSession).
// The views know only this.
#pragma once

#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Windows/Timeline.h"
#include "Core/Streaming/SpectrogramHistory.h"
#include "Core/Streaming/TimeMap.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace earshot::streaming {

enum class State {
    stopped,    // nothing comes in
    loading,    // the model is being read
    running,    // keeps up
    overloaded, // keeps up only with a longer hop, or skips windows
    failed,     // `message` says why and what to do
    finished,   // a recording, heard to its end (or stopped by the user: `message`)
};

// What a history takes of its limit, and from when on it is there.
struct Kept {
    struct Part {
        std::int64_t bytes = 0;
        double since = 0.0; // seconds of the stream

        bool operator==(const Part&) const = default;
    };

    std::int64_t limit = 0; // bytes; 0: there is none
    Part columns;
    Part spectrogram;

    std::int64_t bytes() const { return columns.bytes + spectrogram.bytes; }
    bool operator==(const Kept&) const = default;
};

struct Status {
    State state = State::stopped;
    std::string message;             // for people: empty when there is nothing to say
    std::string model;               // its file's name without extension; empty while none is loaded
    std::string precision;           // of the numbers it computes with: "bfloat16"; empty where not known
    int classes = 0;                 // sounds it knows
    double heard = 0.0;              // seconds of audio so far, gaps included
    double load = 0.0;               // 0 to 1: the worker's share of one core, over the last few seconds
    double delayMedian = 0.0;        // seconds of audio from the middle of a column to its being there, p50
    double delayP95 = 0.0;           // and p95
    double hop = 0.0;                // seconds between windows now
    double hopWanted = 0.0;          // as set; `hop` is longer while overloaded
    std::int64_t droppedChunks = 0;  // of audio, because the ring buffer was full; counted as silence
    std::int64_t skippedWindows = 0; // because even the longest hop was too much
    std::optional<double> progress;  // 0 to 1: recordings of known length, while running
    Kept kept;                       // of the history

    bool operator==(const Status&) const = default;
};

// What the watcher keeps: brought up to date by Source::copySince().
struct History {
    std::shared_ptr<const detection::Labels> labels; // null until a model is loaded
    std::unique_ptr<detection::Timeline> timeline;   // null until then
    SpectrogramHistory spectrogram;
    TimeMap times;
    std::uint64_t generation = 0; // another one: everything was replaced
};

class Source {
  public:
    virtual ~Source() = default;

    // Any thread but the audio thread; neither waits for a pass of the network.
    virtual Status status() const = 0;
    // True when anything changed. `copy` belongs to the caller.
    virtual bool copySince(History& copy) const = 0;
};

} // namespace earshot::streaming
