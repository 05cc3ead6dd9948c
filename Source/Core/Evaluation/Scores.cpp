#include "Core/Evaluation/Scores.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::evaluation {

namespace {

using DetectionLists = std::vector<std::vector<Annotation>>; // one per recording

// Every recording's detector, for any thresholds.
class Detectors {
  public:
    Detectors(std::span<const Scored> recordings, int classes, const DetectorSettings& settings)
        : classes_(static_cast<std::size_t>(classes)) {
        detectors_.reserve(recordings.size());
        for (const Scored& recording : recordings) detectors_.emplace_back(recording, classes, settings);
    }

    DetectionLists at(std::span<const float> thresholds) const {
        DetectionLists lists;
        lists.reserve(detectors_.size());
        for (const RecordingDetector& detector : detectors_) lists.push_back(detector.detect(thresholds));
        return lists;
    }

    DetectionLists at(float threshold) const { return at(std::vector<float>(classes_, threshold)); }

  private:
    std::size_t classes_;
    std::vector<RecordingDetector> detectors_;
};

double strongSeconds(std::span<const Scored> recordings) {
    double seconds = 0.0;
    for (const Scored& recording : recordings)
        if (recording.strong) seconds += recording.duration;
    return seconds;
}

double perHour(std::int64_t count, double seconds) {
    return seconds > 0.0 ? static_cast<double>(count) * 3600.0 / seconds : 0.0;
}

void scorePrecision(std::span<const Scored> recordings, int classes, Scores& scores) {
    double sum = 0.0;
    int occurring = 0;
    for (int c = 0; c < classes; ++c) {
        const auto precision = averagePrecision(recordings, c, classes);
        scores.classes[static_cast<std::size_t>(c)].averagePrecision = precision;
        if (!precision) continue;
        sum += *precision;
        ++occurring;
    }
    if (occurring > 0) scores.meanAveragePrecision = sum / occurring;
}

void scoreDetections(std::span<const Scored> recordings, int classes, const DetectionLists& detections,
                     Scores& scores) {
    const auto segments = segmentCounts(recordings, classes, detections);
    const auto events = eventCounts(recordings, classes, detections);
    const auto looseEvents = eventCounts(recordings, classes, detections, looseCollar);
    for (std::size_t c = 0; c < scores.classes.size(); ++c) {
        ClassScores& own = scores.classes[c];
        own.annotated = events[c].truePositives + events[c].falseNegatives;
        own.segments = segments[c];
        own.events = events[c];
        own.looseEvents = looseEvents[c];
    }
    scores.segments = total(segments);
    scores.events = total(events);
    scores.looseEvents = total(looseEvents);
    scores.segmentMacroF1 = macroF1(segments);
    scores.eventMacroF1 = macroF1(events);
    scores.looseEventMacroF1 = macroF1(looseEvents);
    scores.seconds = strongSeconds(recordings);
    scores.falseAlarmsPerHour = perHour(falseAlarms(recordings, detections), scores.seconds);
    scores.confusion = confusion(recordings, classes, detections);
}

} // namespace

Scores evaluate(std::span<const Scored> recordings, int classes, std::span<const float> thresholds,
                const EvaluationSettings& settings) {
    assert(static_cast<int>(thresholds.size()) == classes);
    Scores scores;
    scores.classes.resize(thresholds.size());
    for (std::size_t c = 0; c < thresholds.size(); ++c) scores.classes[c].threshold = thresholds[c];
    scorePrecision(recordings, classes, scores);

    const Detectors detectors(recordings, classes, settings.detector);
    scoreDetections(recordings, classes, detectors.at(thresholds), scores);

    Psds first(recordings, classes, psds1);
    Psds second(recordings, classes, psds2);
    for (int i = 0; i < settings.sweep; ++i) {
        const auto detections =
            detectors.at((static_cast<float>(i) + 0.5f) / static_cast<float>(settings.sweep));
        first.addOperatingPoint(detections);
        second.addOperatingPoint(detections);
    }
    scores.psds1 = first.score();
    scores.psds2 = second.score();
    return scores;
}

std::vector<SweepPoint> sweep(std::span<const Scored> recordings, int classes,
                              std::span<const float> thresholds, const DetectorSettings& settings) {
    const Detectors detectors(recordings, classes, settings);
    const double seconds = strongSeconds(recordings);
    std::vector<SweepPoint> points;
    for (const float threshold : thresholds) {
        const auto detections = detectors.at(threshold);
        points.push_back({threshold, total(segmentCounts(recordings, classes, detections)),
                          total(eventCounts(recordings, classes, detections)),
                          total(eventCounts(recordings, classes, detections, looseCollar)),
                          perHour(falseAlarms(recordings, detections), seconds)});
    }
    return points;
}

std::vector<float> chooseThresholds(std::span<const Scored> recordings, int classes,
                                    const DetectorSettings& settings) {
    constexpr std::size_t steps = 19; // 0.05 to 0.95
    constexpr double trust = 10.0;    // events that weigh as much as all other classes together
    const auto thresholdAt = [](std::size_t i) { return 0.05 * static_cast<double>(i + 1); };

    const Detectors detectors(recordings, classes, settings);
    std::vector<std::vector<Counts>> counts; // (steps, classes)
    std::vector<double> common;              // micro F1
    for (std::size_t i = 0; i < steps; ++i) {
        const auto detections = detectors.at(static_cast<float>(thresholdAt(i)));
        counts.push_back(eventCounts(recordings, classes, detections, looseCollar));
        common.push_back(total(counts.back()).f1());
    }
    const double commonBest =
        thresholdAt(static_cast<std::size_t>(std::ranges::max_element(common) - common.begin()));

    std::vector<float> chosen;
    for (std::size_t c = 0; c < static_cast<std::size_t>(classes); ++c) {
        const auto events =
            static_cast<double>(counts.front()[c].truePositives + counts.front()[c].falseNegatives);
        // Of equally good ones the nearest to the common one.
        double own = commonBest;
        double best = 0.0;
        for (std::size_t i = 0; i < steps; ++i) {
            const double f1 = counts[i][c].f1();
            const bool nearer = std::abs(thresholdAt(i) - commonBest) < std::abs(own - commonBest);
            if (f1 > best || (f1 == best && best > 0.0 && nearer)) {
                best = f1;
                own = thresholdAt(i);
            }
        }
        const double weight = events / (events + trust);
        chosen.push_back(static_cast<float>(weight * own + (1.0 - weight) * commonBest));
    }
    return chosen;
}

} // namespace earshot::evaluation
