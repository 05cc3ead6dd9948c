#include "Core/Detection/Windows/FileAnalysis.h"

#include "Core/Base/Error.h"

namespace earshot::detection {

BlockReader::BlockReader(audio::AudioFile& file, double modelRate)
    : file_(file)
    , resampler_(file.sampleRate(), modelRate)
    , second_(static_cast<std::size_t>(file.sampleRate())) {}

std::optional<double> BlockReader::length() const {
    if (file_.frames() <= 0) return std::nullopt;
    return static_cast<double>(file_.frames()) / file_.sampleRate();
}

// Failures to read the recording are kept for the summary.
std::size_t BlockReader::read() {
    try {
        return file_.read(second_);
    } catch (const Error& error) {
        summary_.failure = error.what();
        return 0;
    }
}

bool BlockReader::next() {
    block_.clear();
    if (ended_) return false;
    const std::size_t count = summary_.stopped ? 0 : read();
    if (count == 0) {
        ended_ = true;
        resampler_.finish(block_);
    } else {
        resampler_.push({second_.data(), count}, block_);
    }
    frames_ += static_cast<std::int64_t>(count);
    summary_.seconds = static_cast<double>(frames_) / file_.sampleRate();
    summary_.nonFiniteSamples = file_.nonFiniteSamples();
    return true;
}

void BlockReader::stop() { summary_.stopped = summary_.stopped || !ended_; }

FileSummary analyzeFile(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                        const FileProgress& progress) {
    analyzer.reset();
    BlockReader reader(file, modelRate);
    while (reader.next()) {
        analyzer.push(reader.block());
        if (progress && !progress(reader.summary().seconds, reader.length())) reader.stop();
    }
    analyzer.finish();
    return reader.summary();
}

} // namespace earshot::detection
