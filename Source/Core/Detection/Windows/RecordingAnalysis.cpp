#include "Core/Detection/Windows/RecordingAnalysis.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Windows/Analyzer.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

namespace earshot::detection {

RecordingJudge::RecordingJudge(int classes, double secondsPerColumn, const RecordingQuestion& question)
    : question_(question)
    , secondsPerColumn_(secondsPerColumn)
    , events_(classes, secondsPerColumn, question.settings, question.reported, question.nearMisses) {
    for (int i = 0; i < classes; ++i)
        if (question.reported.empty() || question.reported[static_cast<std::size_t>(i)]) asked_.push_back(i);
    for (ColumnObserver* observer : question.observers) observer->begin(classes, secondsPerColumn);
}

void RecordingJudge::add(std::span<const float> probabilities) {
    const std::int64_t column = columns();
    events_.add(probabilities);
    for (const int i : asked_) {
        const float p = probabilities[static_cast<std::size_t>(i)];
        if (nearest_ && p <= nearest_->peak) continue;
        const EventRule& rule = question_.settings.ruleFor(i);
        nearest_ = NearestSound{.classIndex = i,
                                .peak = p,
                                .time = static_cast<double>(column) * secondsPerColumn_,
                                .threshold = question_.settings.boxes ? 0.0f : rule.on,
                                .columnSuffices = rule.median == 1 &&
                                                  rule.minDuration <= secondsPerColumn_ + secondsTolerance};
    }
    for (ColumnObserver* observer : question_.observers) observer->column(column, probabilities);
}

RecordingResult RecordingJudge::finish(const FileSummary& summary, double duration) {
    for (ColumnObserver* observer : question_.observers) {
        observer->heard(summary);
        observer->end(duration);
    }
    return {summary, events_.finish(duration), nearest_};
}

RecordingResult analyzeRecording(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                                 const RecordingQuestion& question, const FileProgress& progress) {
    const Timeline& timeline = analyzer.timeline();
    RecordingJudge judge(timeline.classes(), timeline.secondsPerColumn(), question);
    const auto takeSettled = [&] {
        const auto frames = analyzer.takeFrames();
        for (ColumnObserver* observer : question.observers) observer->frames(frames);
        while (judge.columns() < timeline.settled()) judge.add(timeline.column(judge.columns()));
        analyzer.forget(judge.columns());
    };
    analyzer.reset();
    BlockReader reader(file, modelRate);
    while (reader.next()) {
        analyzer.push(reader.block());
        takeSettled();
        if (progress && !progress(reader.summary().seconds, reader.length())) reader.stop();
    }
    analyzer.finish();
    takeSettled();
    return judge.finish(reader.summary(), *timeline.duration());
}

std::vector<formats::TimedEvent> timedEvents(std::span<const Event> events,
                                             const std::vector<std::string>& labels) {
    std::vector<formats::TimedEvent> timed;
    timed.reserve(events.size());
    for (const Event& event : events)
        timed.push_back({.onset = event.onset,
                         .offset = event.offset,
                         .label = labels[static_cast<std::size_t>(event.classIndex)],
                         .classIndex = event.classIndex,
                         .peak = event.peak,
                         .mean = event.mean,
                         .confidence = event.confidence});
    return timed;
}

formats::RecordingEvents recordingEvents(const std::string& file, const audio::AudioFile& audio,
                                         const RecordingResult& result, const Detector& detector) {
    return {.file = file,
            .seconds = result.summary.seconds,
            .sampleRate = audio.sampleRate(),
            .channels = audio.channels(),
            .complete = !result.summary.failure && !result.summary.stopped,
            .lowestHz = detector.lowestHz,
            .highestHz = detector.highestHz,
            .events = timedEvents(result.found.events, detector.labels)};
}

BlockReader::BlockReader(audio::AudioFile& file, double modelRate)
    : file_(file)
    , resampler_(file.sampleRate(), modelRate)
    , second_(static_cast<std::size_t>(file.sampleRate())) {}

std::optional<double> BlockReader::length() const {
    if (file_.frames() <= 0) return std::nullopt;
    return static_cast<double>(file_.frames()) / file_.sampleRate();
}

// Keeps a read error for the summary.
std::size_t BlockReader::read() {
    try {
        return file_.read(second_);
    } catch (const Error& error) {
        summary_.failure = error.what();
        return 0;
    }
}

void BlockReader::warn() {
    const double oddLoss =
        20.0 + 10.0 * std::log10(file_.channels()); // dB; channels that differ lose the last
    if (file_.nonFiniteSamples() > 0)
        summary_.warnings.push_back(
            fmt::format("{} samples are not finite numbers and count as silence; check the "
                        "program that wrote the file",
                        file_.nonFiniteSamples()));
    const bool read = !summary_.stopped && !summary_.failure;
    if (const auto odd = read ? file_.oddLength() : std::nullopt) summary_.warnings.push_back(*odd);
    if (const double loss = file_.mixLoss(); loss >= oddLoss)
        summary_.warnings.push_back(fmt::format(
            "its channels cancel each other out ({}), so that little can be heard in their mix; use one of "
            "them (ffmpeg -i FILE -af 'pan=mono|c0=c0' one.wav)",
            std::isinf(loss) ? "nothing is left" : fmt::format("{:.0f} dB are lost", loss)));
}

bool BlockReader::next() {
    block_.clear();
    if (ended_) return false;
    const std::size_t count = summary_.stopped ? 0 : read();
    if (count == 0) {
        ended_ = true;
        resampler_.finish(block_);
        warn();
    } else {
        resampler_.push({second_.data(), count}, block_);
    }
    frames_ += static_cast<std::int64_t>(count);
    summary_.seconds = static_cast<double>(frames_) / file_.sampleRate();
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
