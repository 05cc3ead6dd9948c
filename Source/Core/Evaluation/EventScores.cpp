#include "Core/Evaluation/EventScores.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <utility>

namespace earshot::evaluation {

namespace {

constexpr std::size_t nobody = SIZE_MAX;

class Matching {
  public:
    Matching(std::span<const std::vector<std::size_t>> edges, std::size_t rightCount)
        : edges_(edges)
        , leftOf_(rightCount, nobody)
        , rightOf_(edges.size(), nobody)
        , reachedFrom_(rightCount, nobody)
        , reachedIn_(rightCount, nobody) {}

    const std::vector<std::size_t>& leftOf() const { return leftOf_; }   // by right vertex, or nobody
    const std::vector<std::size_t>& rightOf() const { return rightOf_; } // by left vertex, or nobody

    // Pairs as many as possible; returns the number of pairs.
    std::size_t complete() {
        std::size_t pairs = 0;
        for (std::size_t left = 0; left < edges_.size(); ++left) pairs += augment(left) ? 1u : 0u;
        return pairs;
    }

  private:
    // Searches an augmenting path from an unpaired left vertex to an unpaired right one; returns whether it
    // found one.
    bool augment(std::size_t start) {
        queue_.assign(1, start);
        for (std::size_t next = 0; next < queue_.size(); ++next) {
            const std::size_t left = queue_[next];
            for (const std::size_t right : edges_[left]) {
                if (reachedIn_[right] == start) continue;
                reachedIn_[right] = start;
                reachedFrom_[right] = left;
                if (leftOf_[right] == nobody) {
                    pairAlong(right);
                    return true;
                }
                queue_.push_back(leftOf_[right]);
            }
        }
        return false;
    }

    // Walks back from the path's end and pairs each right vertex with the left one it was reached from.
    void pairAlong(std::size_t right) {
        while (right != nobody) {
            const std::size_t left = reachedFrom_[right];
            const std::size_t freed = rightOf_[left];
            leftOf_[right] = left;
            rightOf_[left] = right;
            right = freed;
        }
    }

    std::span<const std::vector<std::size_t>> edges_;
    std::vector<std::size_t> leftOf_;  // by right vertex
    std::vector<std::size_t> rightOf_; // by left vertex
    // by right vertex: the left vertex before it on the path
    std::vector<std::size_t> reachedFrom_;
    std::vector<std::size_t> reachedIn_; // by right vertex: the search that reached it last
    std::vector<std::size_t> queue_;
};

// Stores which classes are active in which segment: (segments, classes).
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
    // Returns the first segment that begins at `seconds` or later.
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

std::size_t largestMatching(std::span<const std::vector<std::size_t>> edges, std::size_t rightCount) {
    return Matching(edges, rightCount).complete();
}

bool admissible(const Annotation& truth, const Annotation& found, const Collar& collar) {
    if (!(std::abs(truth.onset - found.onset) <= collar.onset + secondsTolerance)) return false;
    if (!collar.checkOffset) return true;
    const double reach = std::max(collar.offset, collar.offsetShare * (truth.offset - truth.onset));
    return std::abs(truth.offset - found.offset) <= reach + secondsTolerance;
}

namespace {

using Edges = std::vector<std::vector<std::size_t>>;

// Returns which detections each annotation may be paired with; both lists are sorted by onset.
Edges admissiblePairs(const std::vector<Annotation>& truths, const std::vector<Annotation>& found,
                      const Collar& collar) {
    Edges edges(truths.size());
    for (std::size_t i = 0; i < truths.size(); ++i) {
        const double earliest = truths[i].onset - collar.onset - secondsTolerance;
        const auto first = std::ranges::lower_bound(found, earliest, {}, &Annotation::onset);
        for (auto candidate = first; candidate != found.end(); ++candidate) {
            if (candidate->onset > truths[i].onset + collar.onset + secondsTolerance) break;
            if (admissible(truths[i], *candidate, collar))
                edges[i].push_back(static_cast<std::size_t>(candidate - found.begin()));
        }
    }
    return edges;
}

// Leaves those in the list that are paired with nobody.
void keepUnpaired(std::vector<Annotation>& list, const std::vector<std::size_t>& partners) {
    std::vector<Annotation> unpaired;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (partners[i] == nobody) unpaired.push_back(list[i]);
    list = std::move(unpaired);
}

} // namespace

std::vector<Counts> eventCounts(std::span<const Scored> recordings, int classes,
                                std::span<const std::vector<Annotation>> detections, const Collar& collar) {
    assert(recordings.size() == detections.size());
    std::vector<Counts> counts(static_cast<std::size_t>(classes));
    for (std::size_t r = 0; r < recordings.size(); ++r) {
        if (!recordings[r].strong) continue;
        for (int c = 0; c < classes; ++c) {
            const auto found = ofClass(detections[r], c);
            const auto truths = ofClass(recordings[r].annotations, c);
            const auto paired = static_cast<std::int64_t>(
                largestMatching(admissiblePairs(truths, found, collar), found.size()));
            counts[static_cast<std::size_t>(c)] +=
                {.truePositives = paired,
                 .falsePositives = static_cast<std::int64_t>(found.size()) - paired,
                 .falseNegatives = static_cast<std::int64_t>(truths.size()) - paired};
        }
    }
    return counts;
}

Errors eventErrors(std::span<const Scored> recordings, int classes,
                   std::span<const std::vector<Annotation>> detections, const Collar& collar) {
    assert(recordings.size() == detections.size());
    Errors errors;
    for (std::size_t r = 0; r < recordings.size(); ++r) {
        if (!recordings[r].strong) continue;
        std::vector<Annotation> missed, wrong;
        for (int c = 0; c < classes; ++c) {
            auto found = ofClass(detections[r], c);
            auto truths = ofClass(recordings[r].annotations, c);
            errors.annotated += static_cast<std::int64_t>(truths.size());
            const Edges edges = admissiblePairs(truths, found, collar);
            Matching matching(edges, found.size());
            matching.complete();
            keepUnpaired(truths, matching.rightOf());
            keepUnpaired(found, matching.leftOf());
            missed.insert(missed.end(), truths.begin(), truths.end());
            wrong.insert(wrong.end(), found.begin(), found.end());
        }
        std::ranges::stable_sort(missed, {}, &Annotation::onset);
        std::ranges::stable_sort(wrong, {}, &Annotation::onset);
        const auto substitutions =
            static_cast<std::int64_t>(largestMatching(admissiblePairs(missed, wrong, collar), wrong.size()));
        errors.substitutions += substitutions;
        errors.deletions += static_cast<std::int64_t>(missed.size()) - substitutions;
        errors.insertions += static_cast<std::int64_t>(wrong.size()) - substitutions;
    }
    return errors;
}

std::int64_t falseAlarms(std::span<const Scored> recordings,
                         std::span<const std::vector<Annotation>> detections) {
    assert(recordings.size() == detections.size());
    std::int64_t count = 0;
    for (std::size_t r = 0; r < recordings.size(); ++r) {
        if (!recordings[r].strong) continue;
        count += std::ranges::count_if(detections[r], [&](const Annotation& found) {
            return std::ranges::none_of(recordings[r].annotations, [&](const Annotation& truth) {
                return truth.label == found.label && truth.onset < found.offset - secondsTolerance &&
                       found.onset < truth.offset - secondsTolerance;
            });
        });
    }
    return count;
}

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

Errors segmentErrors(std::span<const Scored> recordings, int classes,
                     std::span<const std::vector<Annotation>> detections, double segmentSeconds) {
    Errors errors;
    forEachSegment(recordings, classes, detections, segmentSeconds,
                   [&](const auto& annotated, const auto& detected) {
                       std::int64_t missed = 0, wrong = 0;
                       for (std::size_t c = 0; c < static_cast<std::size_t>(classes); ++c) {
                           const bool truth = annotated(c), found = detected(c);
                           errors.annotated += truth ? 1 : 0;
                           missed += truth && !found ? 1 : 0;
                           wrong += !truth && found ? 1 : 0;
                       }
                       const std::int64_t substitutions = std::min(missed, wrong);
                       errors.substitutions += substitutions;
                       errors.deletions += missed - substitutions;
                       errors.insertions += wrong - substitutions;
                   });
    return errors;
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
