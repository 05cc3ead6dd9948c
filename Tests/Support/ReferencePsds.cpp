#include "Support/ReferencePsds.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace earshot::test {

namespace {

using namespace earshot::evaluation;

using Spans = std::vector<std::pair<double, double>>;

Spans truthsOf(const Scored& recording, int label) {
    Spans spans;
    for (const Annotation& sound : recording.unjoined)
        if (sound.label == label && sound.offset > sound.onset) spans.emplace_back(sound.onset, sound.offset);
    return spans;
}

Spans detectionsOf(const Scored& recording, int classes, int label, float threshold) {
    Spans spans;
    bool on = false;
    for (std::size_t i = 0; i < recording.columns(classes); ++i) {
        const float value =
            recording.probabilities[i * static_cast<std::size_t>(classes) + static_cast<std::size_t>(label)];
        const double from = static_cast<double>(i) * recording.columnSeconds;
        const double to = std::min(static_cast<double>(i + 1) * recording.columnSeconds, recording.duration);
        if (value >= threshold && !on) spans.emplace_back(from, to);
        on = value >= threshold;
        if (on) spans.back().second = to;
    }
    return spans;
}

double covered(const std::pair<double, double>& one, const Spans& others) {
    double seconds = 0.0;
    for (const auto& other : others)
        seconds += std::max(0.0, std::min(one.second, other.second) - std::max(one.first, other.first));
    return seconds;
}

bool reaches(double seconds, double share, const std::pair<double, double>& whole) {
    return std::round(seconds * 1e6) >= std::round(share * (whole.second - whole.first) * 1e6);
}

struct Point {
    double rate = 0.0;  // effective false positives per hour
    double ratio = 0.0; // of annotated sounds that are found
};

Point pointAt(std::span<const Scored> recordings, int classes, const std::vector<int>& annotated, int label,
              float threshold, const PsdsSettings& settings) {
    double hours = 0.0, sounds = 0.0, found = 0.0;
    Point point;
    for (const Scored& recording : recordings)
        if (recording.strong) hours += recording.duration / 3600.0;
    for (const Scored& recording : recordings) {
        if (!recording.strong) continue;
        const Spans truths = truthsOf(recording, label);
        Spans accepted;
        for (const auto& detection : detectionsOf(recording, classes, label, threshold)) {
            if (reaches(covered(detection, truths), settings.detectionTolerance, detection)) {
                accepted.push_back(detection);
                continue;
            }
            point.rate += 1.0 / hours;
            for (const int other : annotated) {
                const Spans theirs = truthsOf(recording, other);
                if (other == label || theirs.empty() ||
                    !reaches(covered(detection, theirs), settings.crossTriggerTolerance, detection))
                    continue;
                double otherHours = 0.0;
                for (const Scored& each : recordings)
                    for (const auto& [from, to] : truthsOf(each, other)) otherHours += (to - from) / 3600.0;
                point.rate +=
                    settings.crossTriggerCost / otherHours / static_cast<double>(annotated.size() - 1);
            }
        }
        for (const auto& truth : truths) {
            sounds += 1.0;
            if (!accepted.empty() && reaches(covered(truth, accepted), settings.groundTruthTolerance, truth))
                found += 1.0;
        }
    }
    point.ratio = found / sounds;
    return point;
}

} // namespace

double referencePsds(std::span<const Scored> recordings, int classes, const PsdsSettings& settings,
                     std::span<const float> thresholds) {
    std::vector<int> annotated;
    for (int c = 0; c < classes; ++c)
        if (std::ranges::any_of(recordings,
                                [c](const auto& each) { return each.strong && !truthsOf(each, c).empty(); }))
            annotated.push_back(c);
    if (annotated.empty()) return 0.0;

    std::vector<std::vector<Point>> points; // by annotated class
    std::set<double> rates = {0.0, settings.maxFalsePositiveRate};
    for (const int c : annotated) {
        std::set<float> at(thresholds.begin(), thresholds.end());
        if (thresholds.empty())
            for (const Scored& recording : recordings)
                for (std::size_t i = 0; i < recording.columns(classes); ++i)
                    at.insert(recording.probabilities[i * static_cast<std::size_t>(classes) +
                                                      static_cast<std::size_t>(c)]);
        auto& own = points.emplace_back();
        for (const float threshold : at)
            own.push_back(pointAt(recordings, classes, annotated, c, threshold, settings));
        for (const Point& point : own)
            if (point.rate < settings.maxFalsePositiveRate) rates.insert(point.rate);
    }
    double area = 0.0;
    for (auto rate = rates.begin(); std::next(rate) != rates.end(); ++rate) {
        std::vector<double> ratios;
        for (const auto& own : points) {
            double best = 0.0;
            for (const Point& point : own)
                if (point.rate <= *rate) best = std::max(best, point.ratio);
            ratios.push_back(best);
        }
        double mean = 0.0, squares = 0.0;
        for (const double ratio : ratios) mean += ratio / static_cast<double>(ratios.size());
        for (const double ratio : ratios)
            squares += (ratio - mean) * (ratio - mean) / static_cast<double>(ratios.size());
        area +=
            std::max(0.0, mean - settings.variabilityCost * std::sqrt(squares)) * (*std::next(rate) - *rate);
    }
    return area / settings.maxFalsePositiveRate;
}

} // namespace earshot::test
