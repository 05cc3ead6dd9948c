// The safetensors header of kept activations: what Activations.h writes and ActivationReader.h reads. All
// metadata is text, as the format has it; `earshot.labels`, `earshot.thresholds` and `earshot.licence` are as
// in models (Labels.h), and so is `earshot.boxes` (BoxScorer.h). Pure functions: any thread.
#pragma once

#include "Core/Detection/Kept/Activations.h"

#include <cstdint>
#include <map>
#include <string>

namespace earshot::detection {

// What is known of the columns once all are there.
struct ActivationExtent {
    std::int64_t columns = 0;
    double secondsPerColumn = 0.0;
    double duration = 0.0; // seconds; the last column begins before it
};

inline constexpr const char* activationsTensor = "probabilities";
inline constexpr const char* activationsVersion = "1"; // metadata earshot.activations

// JSON, not padded. A name too long for its place loses its folders.
std::string headerText(const ActivationInfo& info, const ActivationRecording& recording,
                       const ActivationExtent& extent);
// Bytes that hold any header with that info; a multiple of 8.
std::size_t mostHeaderBytes(const ActivationInfo& info, double secondsPerColumn);

struct ActivationFacts {
    ActivationInfo info; // without what Labels::read() and BoxScorer::read() have
    ActivationRecording recording;
    double secondsPerColumn = 0.0;
    double duration = 0.0;
};

// Throws earshot::Error, beginning with `file`, when something is missing or makes no sense for so many
// columns.
ActivationFacts parseActivationFacts(const std::map<std::string, std::string>& metadata, std::int64_t columns,
                                     const std::string& file);

} // namespace earshot::detection
