// The windows that a lesson has heard. Rows for new sounds are fitted to them, and judged by those that they
// were not fitted to. Several threads fill it once; then it is immutable: any thread.
#pragma once

#include "Core/Teaching/ClassRow.h"
#include "Core/Teaching/Lesson.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace earshot::teaching {

// The steps of one window.
struct HeardWindow {
    int bucket = -1;                                   // -1: no example in it
    bool plain = false;                                // of a recording as it is, not of a scene
    std::vector<float> inputs;                         // (steps, width)
    std::vector<float> sounds;                         // (steps, sounds)
    std::vector<std::pair<std::size_t, int>> detected; // a sound, and a class of the model while it is there

    // Fills `detected`. probabilities: (steps, classes of the network); thresholds: of the model's classes,
    // which come first.
    void keepDetected(std::span<const float> probabilities, std::span<const float> thresholds,
                      std::size_t soundCount);
};

struct HeardWindows {
    RowKind kind = RowKind::trained; // of the rows
    std::size_t sounds = 0;          // that are new
    std::vector<int> examples;       // (sounds): clips of each
    int buckets = 0;                 // into which the sources of examples are put
    std::int64_t width = 0;          // inputs of the head's last layer
    double secondsPerStep = 0.0;
    std::vector<HeardWindow> windows;

    bool holds(const HeardWindow& window, std::size_t sound) const; // at some step
    // Windows in which the sound is there.
    int windowsWith(std::size_t sound) const;
    // Whether the sound is there at some steps, and not at others.
    bool canFit(std::size_t sound) const;
    ClassRow fit(std::size_t sound) const; // if it can
    // Judges by at most five folds over buckets. own: the buckets with examples of the sound. Null if no
    // fold can be judged.
    std::optional<Reliability> judge(std::size_t sound, const std::set<int>& own) const;
    // The classes of the model that are detected in at least half of the plain windows with the sound; at
    // most three, the most frequent first.
    std::vector<int> alsoDetected(std::size_t sound) const;
};

} // namespace earshot::teaching
