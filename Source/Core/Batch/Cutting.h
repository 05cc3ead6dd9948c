// Cuts stretches of a recording into files of their own, sample for sample as the recording stores them. One
// thread at a time. Memory does not grow with recordings or clips.
//
// Positions: a clip holds the frames from round((onset - handles) * rate) up to, without it,
// round((offset + handles) * rate), halves away from 0, as far as the recording has them. `rate` is the
// recording's sample rate times the speed at which it is read.
#pragma once

#include "Core/Audio/ReadOptions.h"
#include "Core/Base/WallTime.h"
#include "Core/Batch/ClipNames.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::batch {

struct CutEvent {
    double onset = 0.0, offset = 0.0; // seconds
    std::string label;
    std::optional<double> peak = {}, confidence = {}; // probabilities
    std::size_t number = 0;                           // its place in its recording, from 1
};

enum class ClipFormat {
    asRecording, // FLAC of a FLAC file, else WAV
    wav,
    flac,
};

struct CutSettings {
    std::filesystem::path folder; // for the clips
    ClipRule rule = ClipRule(ClipRule::standard);
    double handles = 0.0; // seconds before and after each event
    ClipFormat format = ClipFormat::asRecording;
    // channel: 1 or more for that one alone, else all. Of the rest the speed counts.
    audio::ReadOptions reading = {};
    bool overwrite = false;
    // Never written: recordings and tables, absolute, by whatever name they are reached.
    std::vector<std::filesystem::path> inputs = {};
};

struct Clip {
    enum class State { written, present, failed };

    const CutEvent* event = nullptr;
    State state = State::written;
    std::filesystem::path file = {};
    double begin = 0.0, end = 0.0;      // in the recording, seconds; of the samples that it has
    std::optional<WallTime> start = {}; // when its first sample was recorded
    std::string problem = {};           // of a failed one: a line for the user
};

// Called after each clip. False ends the work.
using ClipDone = std::function<bool(const Clip&)>;

class Cutter {
  public:
    explicit Cutter(CutSettings settings);

    // Cuts the events in order of their onsets. A file that has the same samples already stays ("present");
    // one that has others fails, unless the settings overwrite it. proceed() is asked for each block of
    // samples; once it says false, what is not whole is dropped. Returns false if it was stopped. Throws
    // earshot::Error if the recording cannot be read at all, and WriteError that concerns all results (a full
    // disk).
    bool cut(const std::filesystem::path& recording, std::span<const CutEvent> events,
             const std::function<bool()>& proceed, const ClipDone& done);

    // What the user is to know of the last recording's clips: clauses.
    const std::vector<std::string>& remarks() const { return remarks_; }

  private:
    CutSettings settings_;
    ClipNames names_;
    std::vector<std::string> remarks_;
};

} // namespace earshot::batch
