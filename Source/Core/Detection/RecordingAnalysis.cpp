#include "Core/Detection/RecordingAnalysis.h"

#include "Core/Detection/Analyzer.h"

#include <cassert>

namespace earshot::detection {

namespace {

bool asked(const RecordingQuestion& question, int classIndex) {
    return question.reported.empty() || question.reported[static_cast<std::size_t>(classIndex)];
}

std::optional<NearestSound> nearestSound(const Timeline& timeline, const RecordingQuestion& question) {
    std::optional<NearestSound> nearest;
    for (std::int64_t column = 0; column < timeline.columns(); ++column) {
        const auto probabilities = timeline.column(column);
        for (int i = 0; i < timeline.classes(); ++i)
            if (const float p = probabilities[static_cast<std::size_t>(i)];
                asked(question, i) && (!nearest || p > nearest->peak))
                nearest = NearestSound{i, p, timeline.start(column), question.settings.ruleFor(i).on};
    }
    return nearest;
}

void show(const Timeline& timeline, double seconds, ColumnObserver& observer) {
    observer.begin(timeline.classes(), timeline.secondsPerColumn());
    for (std::int64_t column = 0; column < timeline.columns(); ++column)
        observer.column(column, timeline.column(column));
    observer.end(seconds);
}

} // namespace

RecordingResult analyzeRecording(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                                 const RecordingQuestion& question, const FileProgress& progress) {
    const Timeline& timeline = analyzer.timeline();
    assert(question.reported.empty() ||
           question.reported.size() == static_cast<std::size_t>(timeline.classes()));
    RecordingResult result;
    result.summary = analyzeFile(file, analyzer, modelRate, progress);
    result.found = deriveEvents(timeline, question.settings);
    std::erase_if(result.found.events,
                  [&](const Event& event) { return !asked(question, event.classIndex); });
    std::erase_if(result.found.nearMisses,
                  [&](const NearMiss& miss) { return !asked(question, miss.event.classIndex); });
    result.nearest = nearestSound(timeline, question);
    for (ColumnObserver* observer : question.observers) show(timeline, result.summary.seconds, *observer);
    return result;
}

} // namespace earshot::detection
