#include "Core/Evaluation/EventScores.h"

#include "Core/Evaluation/Matching.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::evaluation {

bool admissible(const Annotation& truth, const Annotation& found, const Collar& collar) {
    if (!(std::abs(truth.onset - found.onset) <= collar.onset + secondsTolerance)) return false;
    if (!collar.checkOffset) return true;
    const double reach = std::max(collar.offset, collar.offsetShare * (truth.offset - truth.onset));
    return std::abs(truth.offset - found.offset) <= reach + secondsTolerance;
}

namespace {

// Both by onset.
std::size_t pairs(const std::vector<Annotation>& truths, const std::vector<Annotation>& found,
                  const Collar& collar) {
    std::vector<std::vector<std::size_t>> edges(truths.size());
    for (std::size_t i = 0; i < truths.size(); ++i) {
        const double earliest = truths[i].onset - collar.onset - secondsTolerance;
        const auto first = std::ranges::lower_bound(found, earliest, {}, &Annotation::onset);
        for (auto candidate = first; candidate != found.end(); ++candidate) {
            if (candidate->onset > truths[i].onset + collar.onset + secondsTolerance) break;
            if (admissible(truths[i], *candidate, collar))
                edges[i].push_back(static_cast<std::size_t>(candidate - found.begin()));
        }
    }
    return largestMatching(edges, found.size());
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
            const auto paired = static_cast<std::int64_t>(pairs(truths, found, collar));
            counts[static_cast<std::size_t>(c)] +=
                {.truePositives = paired,
                 .falsePositives = static_cast<std::int64_t>(found.size()) - paired,
                 .falseNegatives = static_cast<std::int64_t>(truths.size()) - paired};
        }
    }
    return counts;
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

} // namespace earshot::evaluation
