#include "Core/Evaluation/SegmentScores.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::evaluation {

namespace {

// Which classes are active in which segment: (segments, classes).
class Activity {
  public:
    Activity(double duration, double segmentSeconds, int classes, std::span<const Annotation> annotations)
        : segmentSeconds_(segmentSeconds)
        , classes_(static_cast<std::size_t>(classes))
        , segments_(segmentAfter(duration))
        , active_(segments_ * classes_, 0) {
        for (const Annotation& annotation : annotations) {
            const auto first = static_cast<std::size_t>(
                std::floor(std::max(0.0, annotation.onset) / segmentSeconds_ + secondsTolerance));
            const auto end = std::min(segments_, segmentAfter(annotation.offset));
            for (std::size_t i = first; i < end; ++i)
                active_[i * classes_ + static_cast<std::size_t>(annotation.label)] = 1;
        }
    }

    std::size_t segments() const { return segments_; }
    bool operator()(std::size_t segment, std::size_t c) const { return active_[segment * classes_ + c] != 0; }

  private:
    // The first segment that begins at `seconds` or later.
    std::size_t segmentAfter(double seconds) const {
        return static_cast<std::size_t>(
            std::max(0.0, std::ceil(seconds / segmentSeconds_ - secondsTolerance)));
    }

    double segmentSeconds_;
    std::size_t classes_;
    std::size_t segments_;
    std::vector<char> active_;
};

template <typename Visit>
void forEachSegment(std::span<const Scored> recordings, int classes,
                    std::span<const std::vector<Annotation>> detections, double segmentSeconds,
                    Visit&& visit) {
    assert(recordings.size() == detections.size());
    for (std::size_t r = 0; r < recordings.size(); ++r) {
        const Scored& recording = recordings[r];
        if (!recording.strong) continue;
        const Activity annotated(recording.duration, segmentSeconds, classes, recording.annotations);
        const Activity detected(recording.duration, segmentSeconds, classes, detections[r]);
        for (std::size_t i = 0; i < annotated.segments(); ++i)
            visit([&](std::size_t c) { return annotated(i, c); },
                  [&](std::size_t c) { return detected(i, c); });
    }
}

} // namespace

std::vector<Counts> segmentCounts(std::span<const Scored> recordings, int classes,
                                  std::span<const std::vector<Annotation>> detections,
                                  double segmentSeconds) {
    std::vector<Counts> counts(static_cast<std::size_t>(classes));
    forEachSegment(recordings, classes, detections, segmentSeconds,
                   [&](const auto& annotated, const auto& detected) {
                       for (std::size_t c = 0; c < counts.size(); ++c) {
                           const bool truth = annotated(c), found = detected(c);
                           counts[c].truePositives += truth && found ? 1 : 0;
                           counts[c].falsePositives += !truth && found ? 1 : 0;
                           counts[c].falseNegatives += truth && !found ? 1 : 0;
                       }
                   });
    return counts;
}

Confusion confusion(std::span<const Scored> recordings, int classes,
                    std::span<const std::vector<Annotation>> detections, double segmentSeconds) {
    const auto nothing = static_cast<std::size_t>(classes);
    Confusion table(nothing + 1, std::vector<std::int64_t>(nothing + 1, 0));
    std::vector<std::size_t> missed;
    std::vector<std::size_t> wrong;
    forEachSegment(recordings, classes, detections, segmentSeconds,
                   [&](const auto& annotated, const auto& detected) {
                       missed.clear();
                       wrong.clear();
                       for (std::size_t c = 0; c < nothing; ++c) {
                           const bool truth = annotated(c), found = detected(c);
                           if (truth && found) ++table[c][c];
                           if (truth && !found) missed.push_back(c);
                           if (!truth && found) wrong.push_back(c);
                       }
                       if (missed.empty() && wrong.empty()) return;
                       if (missed.empty()) missed.push_back(nothing);
                       if (wrong.empty()) wrong.push_back(nothing);
                       for (const std::size_t truth : missed)
                           for (const std::size_t found : wrong) ++table[truth][found];
                   });
    return table;
}

} // namespace earshot::evaluation
