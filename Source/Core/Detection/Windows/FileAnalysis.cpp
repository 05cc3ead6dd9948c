#include "Core/Detection/Windows/FileAnalysis.h"

#include "Core/Audio/Resampler.h"
#include "Core/Base/Error.h"

#include <vector>

namespace earshot::detection {

FileSummary hearFile(audio::AudioFile& file, double modelRate,
                     const std::function<void(std::span<const float>)>& hear, const FileProgress& progress) {
    const double fileRate = file.sampleRate();
    std::optional<double> total;
    if (file.frames() > 0) total = static_cast<double>(file.frames()) / fileRate;

    audio::Resampler resampler(fileRate, modelRate);
    std::vector<float> block(static_cast<std::size_t>(file.sampleRate())); // one second
    std::vector<float> resampled;
    std::int64_t frames = 0;
    FileSummary summary;

    // Only failures to read the recording are kept for the summary; the listener's own are the caller's.
    const auto readBlock = [&]() -> std::size_t {
        try {
            return file.read(block);
        } catch (const Error& error) {
            summary.failure = error.what();
            return 0;
        }
    };

    while (const std::size_t count = readBlock()) {
        resampled.clear();
        resampler.push({block.data(), count}, resampled);
        hear(resampled);
        frames += static_cast<std::int64_t>(count);
        summary.seconds = static_cast<double>(frames) / fileRate;
        if (progress && !progress(summary.seconds, total)) {
            summary.stopped = true;
            break;
        }
    }
    resampled.clear();
    resampler.finish(resampled);
    hear(resampled);
    summary.nonFiniteSamples = file.nonFiniteSamples();
    return summary;
}

FileSummary analyzeFile(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                        const FileProgress& progress) {
    analyzer.reset();
    auto summary = hearFile(
        file, modelRate, [&](std::span<const float> samples) { analyzer.push(samples); }, progress);
    analyzer.finish();
    return summary;
}

} // namespace earshot::detection
