// Scores over whole events: whether a detection begins and ends where an annotation does. Pure functions: any
// thread.
#pragma once

#include "Core/Evaluation/Recording.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace earshot::evaluation {

// Size of a largest matching. edges[i]: the right vertices (below rightCount) with which left vertex i may be
// paired. It uses augmenting paths (Berge 1957), searched breadth first, so that long chains need no deep
// recursion.
std::size_t largestMatching(std::span<const std::vector<std::size_t>> edges, std::size_t rightCount);

// Mesaros, Heittola and Virtanen 2016, section 3.2; the defaults are those of DCASE's event-based F1.
struct Collar {
    double onset = 0.2;       // seconds
    double offset = 0.2;      // seconds,
    double offsetShare = 0.2; // or this share of the annotated event's length, whichever is larger
    bool checkOffset = true;
};
inline constexpr Collar looseCollar{.onset = 0.5, .offset = 0.5, .offsetShare = 0.5};

// Whether a detection of the annotation's class may be paired with it.
bool admissible(const Annotation& truth, const Annotation& found, const Collar& collar);

// Counts for each class. In each recording, as many detections and annotations of a class as possible are
// paired one to one (a largest matching of the admissible pairs, sed_eval's "optimal"). Unpaired ones are
// false positives or negatives. Recordings without strong labels are ignored.
std::vector<Counts> eventCounts(std::span<const Scored> recordings, int classes,
                                std::span<const std::vector<Annotation>> detections,
                                const Collar& collar = {});

// Counts detections that touch no annotation of their class, in recordings as above.
std::int64_t falseAlarms(std::span<const Scored> recordings,
                         std::span<const std::vector<Annotation>> detections);

// Scores over the seconds of recordings: in which seconds a class sounds, and in which it was detected. Pure
// functions: any thread.
//
// Mesaros, Heittola and Virtanen, "Metrics for Polyphonic Sound Event Detection", Applied Sciences 6(6),
// 2016, section 3.1: a class is active in a segment when any of it lies there.

// detections: one list for each recording. Recordings without strong labels are ignored.
std::vector<Counts> segmentCounts(std::span<const Scored> recordings, int classes,
                                  std::span<const std::vector<Annotation>> detections,
                                  double segmentSeconds = 1.0);

// (classes + 1, classes + 1) segments: a row for each annotated class, a column for each detected one; the
// last of each is nothing. A class that is annotated and detected counts on the diagonal. Each missed class
// counts against each wrongly detected class, or against nothing if there is none. Wrongly detected classes
// count against nothing if none was missed.
using Confusion = std::vector<std::vector<std::int64_t>>;
Confusion confusion(std::span<const Scored> recordings, int classes,
                    std::span<const std::vector<Annotation>> detections, double segmentSeconds = 1.0);

} // namespace earshot::evaluation
