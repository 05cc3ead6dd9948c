// Scores over whole events: does a detection begin and end where an annotation does. Pure functions: any
// thread.
#pragma once

#include "Core/Evaluation/Recording.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace earshot::evaluation {

// edges[i]: the right vertices (below rightCount) that left vertex i may be paired with. Returns the number
// of pairs. By augmenting paths (Berge 1957), searched breadth first so that long chains need no deep
// recursion.
std::size_t largestMatching(std::span<const std::vector<std::size_t>> edges, std::size_t rightCount);

// Mesaros, Heittola and Virtanen 2016, section 3.2; the defaults are those of DCASE's event-based F1.
struct Collar {
    double onset = 0.2;       // seconds
    double offset = 0.2;      // seconds,
    double offsetShare = 0.2; // or this share of the annotated event's length, whichever is more
    bool checkOffset = true;
};
inline constexpr Collar looseCollar{.onset = 0.5, .offset = 0.5, .offsetShare = 0.5};

// Whether a detection of the annotation's class may be paired with it.
bool admissible(const Annotation& truth, const Annotation& found, const Collar& collar);

// Per class. In each recording as many detections and annotations of a class as possible are paired, one to
// one (a largest matching of the graph of admissible pairs, as sed_eval's "optimal"); what stays alone is a
// false positive or negative. Recordings that are not strongly labelled count for nothing.
std::vector<Counts> eventCounts(std::span<const Scored> recordings, int classes,
                                std::span<const std::vector<Annotation>> detections,
                                const Collar& collar = {});

// Detections that touch no annotation of their class. Recordings as above.
std::int64_t falseAlarms(std::span<const Scored> recordings,
                         std::span<const std::vector<Annotation>> detections);

// Scores over the seconds of recordings: in which of them a class sounds, and in which it was heard.
// Pure functions: any thread.
//
// Mesaros, Heittola and Virtanen, "Metrics for Polyphonic Sound Event Detection", Applied Sciences 6(6),
// 2016, section 3.1: a class is active in a segment when any of it lies there.

// detections: one list per recording. Recordings that are not strongly labelled count for nothing.
std::vector<Counts> segmentCounts(std::span<const Scored> recordings, int classes,
                                  std::span<const std::vector<Annotation>> detections,
                                  double segmentSeconds = 1.0);

// (classes + 1, classes + 1) segments: a row per annotated class, a column per detected one, the last of each
// is nothing. In a segment, a class that is annotated and detected counts on the diagonal; each annotated
// class that was missed counts against each class that was detected wrongly, or against nothing where there
// is none, and wrong ones against nothing where none was missed.
using Confusion = std::vector<std::vector<std::int64_t>>;
Confusion confusion(std::span<const Scored> recordings, int classes,
                    std::span<const std::vector<Annotation>> detections, double segmentSeconds = 1.0);

} // namespace earshot::evaluation
