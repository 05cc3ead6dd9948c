#include "Core/Detection/Windows/RecordingAnalysis.h"

#include "Core/Detection/Windows/Analyzer.h"

#include <cassert>

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
    for (const int i : asked_)
        if (const float p = probabilities[static_cast<std::size_t>(i)]; !nearest_ || p > nearest_->peak)
            nearest_ = NearestSound{i, p, static_cast<double>(column) * secondsPerColumn_,
                                    question_.settings.boxes ? 0.0f : question_.settings.ruleFor(i).on};
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
    const auto summary =
        analyzeFile(file, analyzer, modelRate, [&](double done, std::optional<double> total) {
            takeSettled();
            return !progress || progress(done, total);
        });
    takeSettled();
    return judge.finish(summary, *timeline.duration());
}

} // namespace earshot::detection
