// The interface that views read: the status and history of a live stream (Session) or a recording
// (FileSession) while it is analysed. Views know no other class of this folder that analyses.
#pragma once

#include "Core/Base/WallTime.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Timeline.h"
#include "Core/Streaming/SpectrogramHistory.h"
#include "Core/Streaming/TimeMap.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::streaming {

enum class State {
    stopped,    // no stream runs
    loading,    // the model is being read
    running,    // keeps up
    overloaded, // keeps up only with a longer hop, or skips windows
    failed,     // `message` says why and what to do
    finished,   // a bounce or a recording that ended, or that the user stopped (see `message`)
};

// The memory that each part of a history takes, and the stream time at which each part begins.
struct Kept {
    struct Part {
        std::int64_t bytes = 0;
        double since = 0.0; // stream seconds

        bool operator==(const Part&) const = default;
    };

    std::int64_t limit = 0; // bytes; 0: no limit
    Part columns;
    Part spectrogram;
    Part vectors; // of sound, for words; no bytes without words
    Part audio;   // no bytes unless it is kept

    std::int64_t bytes() const { return columns.bytes + spectrogram.bytes + vectors.bytes + audio.bytes; }
    bool operator==(const Kept&) const = default;
};

struct Status {
    State state = State::stopped;
    std::string message;      // a text for the user; may be empty
    bool incomplete = false;  // a recording that ended early: it is damaged, or was stopped; a bounce of
                              // which not all was analysed
    std::string model;        // the file name without extension; empty: no model is loaded
    std::string precision;    // the model's number format, such as "bfloat16"; empty: not known
    int classes = 0;          // classes of the model
    double heard = 0.0;       // seconds of audio so far, gaps included
    double load = 0.0;        // 0 to 1: the worker's share of one core over the last few seconds
    double delayMedian = 0.0; // seconds of audio from a column's middle until it appears, median
    double delayP95 = 0.0;    // the same, 95th percentile
    double hop = 0.0;         // the present hop, seconds
    double hopWanted = 0.0;   // the hop in the settings, seconds; `hop` is longer while overloaded
    std::int64_t droppedChunks = 0; // chunks that found the ring buffer full; they count as silence
    std::int64_t skippedWindows =
        0;                    // windows skipped because even the longest hop was too short, or at the end
    double notAnalysed = 0.0; // seconds at the end of a stream that ended before they were analysed
    std::optional<double> progress; // 0 to 1; only while a recording of known length runs
    std::optional<WallTime> began;  // when a recording's first sample was recorded, if that is known
    // The channels of a recording that are analysed each by itself, from 1; empty: the mix is.
    std::vector<int> channels;
    Kept kept; // the history's memory

    bool operator==(const Status&) const = default;
};

// A reader's mirror of a history. HistoryProvider::copySince() brings it up to date.
struct History {
    std::shared_ptr<const detection::Labels> labels; // null until a model is loaded
    std::unique_ptr<detection::Timeline> timeline;   // null until then
    SpectrogramHistory spectrogram;
    TimeMap times;
    // Changes when the whole history is replaced, or scored again for other words.
    std::uint64_t generation = 0;
    std::uint64_t stream = 0; // changes when the history is replaced by that of other audio
};

class HistoryProvider {
  public:
    virtual ~HistoryProvider() = default;

    // Any thread but the audio thread; neither waits for a pass of the network.
    virtual Status status() const = 0;
    // Brings `copy`, which belongs to the caller, up to date. Returns true if anything changed.
    virtual bool copySince(History& copy) const = 0;
    // The history of Status::channels[index]; the first one's is this source's own.
    virtual const HistoryProvider& channel([[maybe_unused]] std::size_t index) const { return *this; }
};

} // namespace earshot::streaming
