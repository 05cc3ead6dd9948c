// Recordings that continue each other: the files of one recorder, which begins a new one every minute or
// hour. They are analysed as one stream, so that a sound across a seam is one event, and no seam is a sound.
// Each file still has its own results: an event belongs to the file in which it begins, and may end behind
// that file's end. One thread at a time.
#pragma once

#include "Core/Audio/RecordingStart.h"
#include "Core/Base/WallTime.h"
#include "Core/Batch/Inputs.h"
#include "Core/Detection/Detector.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace earshot::batch {

// A file of a recorder.
struct Take {
    Input input;
    std::optional<WallTime> start;      // as the recorder states it, or the user
    std::optional<WallTime> shown;      // in the zone in which starts are shown
    std::optional<std::int64_t> number; // the last in its name, if nothing says when it began
};

// Sorts recordings by recorder, and those of each by their start, else by number. Files are of one recorder
// if their paths differ only by dates and times, or without those by the last number of their names.
std::vector<std::vector<Take>> takesOf(const std::vector<Input>& inputs, const audio::Starts& starts);

// Returns the wanted recordings and those that they may join. seconds: of a recording whose length is known,
// else null.
std::set<std::string>
withNeighbours(const std::vector<std::vector<Take>>& recorders, const std::set<std::string>& wanted,
               const std::function<std::optional<double>(const std::string& name)>& seconds);

// How one take follows another.
struct Seam {
    bool joins = false;
    double skip = 0.0; // seconds of the second take that the first has already
    std::string note;  // what is odd about it, for the user; empty: nothing
};
// seconds: the length of `first`. Names state whole seconds, so that less than a second is no gap.
Seam seamOf(const Take& first, double seconds, const Take& second);

// A take's part of a joined analysis.
struct TakeResult {
    std::size_t take = 0; // its index
    detection::RecordingResult result;
    int sampleRate = 0; // Hz
    int channels = 0;
    bool readFailed = false;       // the system could not read on
    std::optional<WallTime> start; // as the recorder states it; else it follows from the take before
};

struct JoinedAnalysis {
    detection::Analyzer& analyzer;
    const detection::Detector& detector;
    bool nearMisses = false;
    // Called with the take that is read, its seconds read so far and, if the file states it, its length.
    // Returning false stops.
    std::function<bool(std::size_t take, double seconds, std::optional<double> length)> progress;
    std::function<void(const std::string& note)> note; // hears of seams that are odd, and of what was skipped
};

// Analyses takes from the first on, as long as they join. `open` opens a take's file; what it throws for the
// first take is passed on, and any other such take begins the next analysis. Returns a result for each take
// that was analysed.
std::vector<TakeResult>
analyzeJoined(std::span<const Take> takes,
              const std::function<std::unique_ptr<audio::AudioFile>(const Take&)>& open,
              const JoinedAnalysis& how);

} // namespace earshot::batch
