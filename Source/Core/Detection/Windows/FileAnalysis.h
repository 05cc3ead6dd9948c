// One recording through the analyzer: AudioFile -> Resampler -> Analyzer, in bounded blocks, so that memory
// does not grow with the recording. One thread at a time (the analyzer's).
#pragma once

#include "Core/Audio/AudioFile.h"
#include "Core/Detection/Windows/Analyzer.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace earshot::detection {

// Called after every block (about a second of audio) with the seconds heard so far and, where the file tells,
// its whole length. Returning false stops the analysis there.
using FileProgress = std::function<bool(double secondsDone, std::optional<double> secondsTotal)>;

struct FileSummary {
    double seconds = 0.0;              // of audio heard
    std::int64_t nonFiniteSamples = 0; // taken as silence
    bool stopped = false;              // by the progress callback
    // Why the recording could not be read to its end; what came before it has been analysed.
    std::optional<std::string> failure;
};

// Hands the rest of the file to `hear`: mono samples at modelRate (Hz), in blocks.
FileSummary hearFile(audio::AudioFile& file, double modelRate,
                     const std::function<void(std::span<const float> samples)>& hear,
                     const FileProgress& progress = {});

// Resets the analyzer, feeds it the rest of the file and finishes it: its columns and events are settled on
// return. modelRate: Hz, the rate the analyzer expects. Throws earshot::Error when the analysis itself fails.
FileSummary analyzeFile(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                        const FileProgress& progress = {});

} // namespace earshot::detection
