#include "Core/Evaluation/Psds.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace earshot::evaluation {

namespace {

constexpr double secondsPerHour = 3600.0;
constexpr std::size_t notAnnotated = SIZE_MAX;

double overlap(const Annotation& a, const Annotation& b) {
    return std::max(0.0, std::min(a.offset, b.offset) - std::max(a.onset, b.onset));
}

// Returns how many seconds of `one` are covered by `others`, which do not overlap.
double coveredSeconds(const Annotation& one, const std::vector<Annotation>& others) {
    double seconds = 0.0;
    for (const Annotation& other : others) seconds += overlap(one, other);
    return seconds;
}

bool reaches(double seconds, double share, const Annotation& whole) {
    const double length = whole.offset - whole.onset;
    return length > 0.0 && seconds >= share * length - secondsTolerance;
}

} // namespace

struct Psds::PointCounts {
    explicit PointCounts(std::size_t classes)
        : detected(classes)
        , falsePositives(classes)
        , crossTriggers(classes, std::vector<std::int64_t>(classes)) {}

    std::vector<std::int64_t> detected; // annotations that were detected
    std::vector<std::int64_t> falsePositives;
    std::vector<std::vector<std::int64_t>> crossTriggers; // (detected class, annotated class)
};

Psds::Psds(std::span<const Scored> recordings, int classes, const PsdsSettings& settings)
    : settings_(settings)
    , classOf_(static_cast<std::size_t>(classes), notAnnotated) {
    for (const Scored& recording : recordings) {
        if (!recording.strong) continue;
        for (const Annotation& annotation : recording.annotations)
            classOf_[static_cast<std::size_t>(annotation.label)] = 0;
    }
    for (std::size_t& index : classOf_)
        if (index != notAnnotated) index = classes_++;

    annotatedSeconds_.resize(classes_);
    annotated_.resize(classes_);
    points_.resize(classes_);
    for (const Scored& recording : recordings) {
        auto& truths = truths_.emplace_back(classes_);
        strong_.push_back(recording.strong ? 1 : 0);
        if (!recording.strong) continue;
        seconds_ += recording.duration;
        for (const Annotation& annotation : joinOverlaps(recording.annotations)) {
            const std::size_t c = classOf_[static_cast<std::size_t>(annotation.label)];
            truths[c].push_back(annotation);
            annotatedSeconds_[c] += annotation.offset - annotation.onset;
            ++annotated_[c];
        }
    }
}

// Section 3 of the paper. A detection is a false positive if annotations of its class cover less of it than
// the detection tolerance. It is also a cross-trigger for every other class whose annotations cover it by the
// cross-trigger tolerance. The remaining detections cover annotations: an annotation is detected if they
// cover it by the ground truth tolerance.
void Psds::count(const std::vector<std::vector<Annotation>>& truths,
                 const std::vector<std::vector<Annotation>>& found, PointCounts& counts) const {
    std::vector<Annotation> accepted;
    for (std::size_t c = 0; c < classes_; ++c) {
        accepted.clear();
        for (const Annotation& detection : found[c]) {
            if (reaches(coveredSeconds(detection, truths[c]), settings_.detectionTolerance, detection)) {
                accepted.push_back(detection);
                continue;
            }
            ++counts.falsePositives[c];
            if (settings_.crossTriggerCost <= 0.0) continue;
            for (std::size_t other = 0; other < classes_; ++other)
                if (other != c && !truths[other].empty() &&
                    reaches(coveredSeconds(detection, truths[other]), settings_.crossTriggerTolerance,
                            detection))
                    ++counts.crossTriggers[c][other];
        }
        if (accepted.empty()) continue;
        for (const Annotation& truth : truths[c])
            if (reaches(coveredSeconds(truth, accepted), settings_.groundTruthTolerance, truth))
                ++counts.detected[c];
    }
}

void Psds::addOperatingPoint(std::span<const std::vector<Annotation>> detections) {
    assert(detections.size() == truths_.size());
    PointCounts counts(classes_);
    std::vector<std::vector<Annotation>> found(classes_);
    for (std::size_t r = 0; r < truths_.size(); ++r) {
        if (strong_[r] == 0 || detections[r].empty()) continue;
        for (auto& list : found) list.clear();
        for (const Annotation& detection : detections[r])
            if (const std::size_t c = classOf_[static_cast<std::size_t>(detection.label)]; c != notAnnotated)
                found[c].push_back(detection);
        count(truths_[r], found, counts);
    }
    for (std::size_t c = 0; c < classes_; ++c) {
        Point point;
        point.truePositiveRatio =
            static_cast<double>(counts.detected[c]) / static_cast<double>(annotated_[c]);
        const double hours = seconds_ / secondsPerHour;
        if (hours > 0.0) point.falsePositiveRate = static_cast<double>(counts.falsePositives[c]) / hours;
        // The mean over the other classes of the cross-triggers per hour of their own sound.
        double crossTriggerRates = 0.0;
        for (std::size_t other = 0; other < classes_; ++other)
            if (annotatedSeconds_[other] > 0.0)
                crossTriggerRates += static_cast<double>(counts.crossTriggers[c][other]) * secondsPerHour /
                                     annotatedSeconds_[other];
        if (classes_ > 1)
            point.falsePositiveRate +=
                settings_.crossTriggerCost * crossTriggerRates / static_cast<double>(classes_ - 1);
        points_[c].push_back(point);
    }
}

// Section 4 of the paper. Each class's curve gives the best ratio at an operating point with no more false
// alarms: a step curve that never falls. The PSD-ROC is the mean of the curves minus their weighted standard
// deviation (population) over classes, at least 0. The score is the area below it up to the highest rate,
// divided by that rate.
double Psds::score() const {
    if (classes_ == 0) return 0.0;
    const double end = settings_.maxFalsePositiveRate;
    auto curves = points_;
    std::vector<double> rates = {0.0, end};
    for (auto& curve : curves) {
        std::ranges::sort(curve, {}, &Point::falsePositiveRate);
        for (const Point& point : curve)
            if (point.falsePositiveRate < end) rates.push_back(point.falsePositiveRate);
    }
    std::ranges::sort(rates);

    std::vector<std::size_t> next(classes_);
    std::vector<double> best(classes_);
    double area = 0.0;
    for (std::size_t i = 0; i + 1 < rates.size(); ++i) {
        double sum = 0.0;
        for (std::size_t c = 0; c < classes_; ++c) {
            const auto& curve = curves[c];
            for (; next[c] < curve.size() && curve[next[c]].falsePositiveRate <= rates[i]; ++next[c])
                best[c] = std::max(best[c], curve[next[c]].truePositiveRatio);
            sum += best[c];
        }
        if (rates[i + 1] <= rates[i]) continue;
        const double mean = sum / static_cast<double>(classes_);
        double squares = 0.0;
        for (const double ratio : best) squares += (ratio - mean) * (ratio - mean);
        const double spread = std::sqrt(squares / static_cast<double>(classes_));
        area += std::max(0.0, mean - settings_.variabilityCost * spread) * (rates[i + 1] - rates[i]);
    }
    return area / end;
}

double psds(std::span<const Scored> recordings, int classes,
            std::span<const std::vector<std::vector<Annotation>>> detectionsAt,
            const PsdsSettings& settings) {
    Psds gathered(recordings, classes, settings);
    for (const auto& detections : detectionsAt) gathered.addOperatingPoint(detections);
    return gathered.score();
}

} // namespace earshot::evaluation
