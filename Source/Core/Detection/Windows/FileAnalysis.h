// Recordings in bounded blocks at a model's rate, so that memory does not grow with their length, and one
// recording through the analyzer. One thread at a time.
#pragma once

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/Resampler.h"
#include "Core/Detection/Windows/Analyzer.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::detection {

// Called after every block (about a second of audio) with the seconds heard so far and, where the file tells,
// its whole length. Returning false stops the analysis there.
using FileProgress = std::function<bool(double secondsDone, std::optional<double> secondsTotal)>;

struct FileSummary {
    double seconds = 0.0;              // of audio heard
    std::int64_t nonFiniteSamples = 0; // taken as silence
    bool stopped = false;              // before the end
    // Why the recording could not be read to its end; what came before it has been heard.
    std::optional<std::string> failure;
};

//     BlockReader reader(file, modelRate);
//     while (reader.next()) analyzer.push(reader.block());
class BlockReader {
  public:
    // The rest of the file, mono at modelRate (Hz). `file` must outlive the reader.
    BlockReader(audio::AudioFile& file, double modelRate);

    // Reads a second more. The last block is what the resampler still held, perhaps nothing; false behind
    // it. A file that cannot be read on ends there, and the summary says why.
    bool next();
    std::span<const float> block() const { return block_; } // valid until next()
    // Reads no more of the file: what the resampler holds is the last block. Nothing once it has ended.
    void stop();

    std::optional<double> length() const; // seconds, where the file tells
    const FileSummary& summary() const { return summary_; }

  private:
    std::size_t read();

    audio::AudioFile& file_;
    audio::Resampler resampler_;
    std::vector<float> second_; // as the file has it
    std::vector<float> block_;
    std::int64_t frames_ = 0; // of the file so far
    bool ended_ = false;      // the last block is there
    FileSummary summary_;
};

// Resets the analyzer, feeds it the rest of the file and finishes it: its columns and events are settled on
// return. modelRate: Hz, the rate the analyzer expects. Throws earshot::Error when the analysis itself fails.
FileSummary analyzeFile(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                        const FileProgress& progress = {});

} // namespace earshot::detection
