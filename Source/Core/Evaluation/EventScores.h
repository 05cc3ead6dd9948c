// Scores over whole events: whether a detection begins and ends where an annotation does. Pure functions: any
// thread.
#pragma once

#include "Core/Evaluation/Recording.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace earshot::evaluation {

// Finds a largest matching and returns its number of pairs. edges[i]: the right vertices (below rightCount)
// that left vertex i may be paired with. Uses augmenting paths (Berge 1957) with breadth-first search, so
// that long chains need no deep recursion.
std::size_t largestMatching(std::span<const std::vector<std::size_t>> edges, std::size_t rightCount);

// Mesaros, Heittola and Virtanen 2016, section 3.2; the defaults are those of DCASE's event-based F1.
struct Collar {
    double onset = 0.2;  // seconds
    double offset = 0.2; // seconds
    // the offset may differ by `offset` or by this share of the annotated length, if that is more
    double offsetShare = 0.2;
    bool checkOffset = true;
};
inline constexpr Collar looseCollar{.onset = 0.5, .offset = 0.5, .offsetShare = 0.5};

// Returns whether a detection of the annotation's class may be paired with it.
bool admissible(const Annotation& truth, const Annotation& found, const Collar& collar);

// Counts events per class. In each recording as many detections and annotations of a class as possible are
// paired, one to one (a largest matching of the graph of admissible pairs, like sed_eval's "optimal"). An
// unpaired detection is a false positive, an unpaired annotation a false negative. Recordings that are not
// strongly labelled are ignored.
std::vector<Counts> eventCounts(std::span<const Scored> recordings, int classes,
                                std::span<const std::vector<Annotation>> detections,
                                const Collar& collar = {});

// Counts errors: of what eventCounts() leaves unpaired, as many annotations and detections as possible are
// paired whatever their class, as substitutions; the rest are deletions and insertions (Mesaros et al. 2016,
// section 3.2; sed_eval pairs in the order of time, which can be fewer). Recordings that are not strongly
// labelled are ignored.
Errors eventErrors(std::span<const Scored> recordings, int classes,
                   std::span<const std::vector<Annotation>> detections, const Collar& collar = {});

// Counts detections that overlap no annotation of their class. Recordings that are not strongly labelled are
// ignored.
std::int64_t falseAlarms(std::span<const Scored> recordings,
                         std::span<const std::vector<Annotation>> detections);

// Scores over segments of recordings (1 s by default): they compare in which segments a class is annotated
// and in which it is detected.
// Pure functions: any thread.
//
// Mesaros, Heittola and Virtanen, "Metrics for Polyphonic Sound Event Detection", Applied Sciences 6(6),
// 2016, section 3.1: a class is active in a segment if any part of it lies there.

// detections: one list per recording. Recordings that are not strongly labelled are ignored.
std::vector<Counts> segmentCounts(std::span<const Scored> recordings, int classes,
                                  std::span<const std::vector<Annotation>> detections,
                                  double segmentSeconds = 1.0);

// Counts errors: in each segment as many missed as false classes are substitutions, what is left are
// deletions or insertions. Recordings that are not strongly labelled are ignored.
Errors segmentErrors(std::span<const Scored> recordings, int classes,
                     std::span<const std::vector<Annotation>> detections, double segmentSeconds = 1.0);

// (classes + 1, classes + 1) segments: a row per annotated class and a column per detected class; the last
// row and the last column mean "nothing". A class that is annotated and detected in a segment counts on the
// diagonal. Each missed class counts against each wrongly detected class, or against "nothing" if there is
// none. If no class was missed, wrongly detected classes count against "nothing".
using Confusion = std::vector<std::vector<std::int64_t>>;
Confusion confusion(std::span<const Scored> recordings, int classes,
                    std::span<const std::vector<Annotation>> detections, double segmentSeconds = 1.0);

} // namespace earshot::evaluation
