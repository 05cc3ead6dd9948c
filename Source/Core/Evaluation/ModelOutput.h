// What one model makes of the recordings of an evaluation, and how often each recording counts. Plain values.
#pragma once

#include "Core/Evaluation/Recording.h"
#include "Core/Evaluation/RecordingDetector.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace earshot::evaluation {

struct ModelOutput {
    std::span<const Scored> recordings = {};
    std::span<const Scored> others = {}; // recordings of none of the classes
    int classes = 0;                     // of the model
    DetectorSettings detector = {};
    std::span<const float> thresholds = {}; // (classes); for scores at one threshold

    std::size_t size() const { return recordings.size() + others.size(); }
    // Scored are the classes that the detector detects, in its order, so that several models' classes meet.
    std::size_t scoredClasses() const {
        return detector.only.empty() ? static_cast<std::size_t>(classes) : detector.only.size();
    }
    int modelClass(std::size_t scoredClass) const {
        return detector.only.empty() ? static_cast<int>(scoredClass) : detector.only[scoredClass];
    }
};

// How often each recording counts: of each model in turn its recordings, then its others.
using Draw = std::vector<std::uint32_t>;

} // namespace earshot::evaluation
