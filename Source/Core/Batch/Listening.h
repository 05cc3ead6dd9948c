// How a batch hears its recordings: the model, as a maker of analyzers, and what of it is reported. Immutable
// while a batch runs: any thread.
#pragma once

#include "Core/Audio/AudioFile.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Formats/EventFormats.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace earshot::batch {

struct Listening {
    // Called on the thread that will use it; of so many threads in all.
    std::function<std::unique_ptr<detection::Analyzer>(int threads)> makeAnalyzer;
    double modelRate = 0.0; // Hz
    detection::EventSettings settings;
    std::vector<bool> reported; // (classes); empty: all
    std::vector<std::string> labels;
    double lowestHz = 0.0; // that the model hears
    double highestHz = 0.0;
};

// What was found, as results have it. `file`: as they name the recording.
formats::RecordingEvents recordingEvents(const std::string& file, const audio::AudioFile& audio,
                                         const detection::RecordingResult& result,
                                         const Listening& listening);

} // namespace earshot::batch
