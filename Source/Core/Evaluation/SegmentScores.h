// Scores over the seconds of recordings: in which of them a class sounds, and in which it was heard.
// Pure functions: any thread.
//
// Mesaros, Heittola and Virtanen, "Metrics for Polyphonic Sound Event Detection", Applied Sciences 6(6),
// 2016, section 3.1: a class is active in a segment when any of it lies there.
#pragma once

#include "Core/Evaluation/Recording.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::evaluation {

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
