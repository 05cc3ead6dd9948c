// The structs of earshot.h, checked, in the engine's terms. Throws Failure for what makes no sense. Pure
// functions: any thread.
#pragma once

#include "Library/earshot.h"

#include "Core/Detection/Detector.h"

#include <cstddef>
#include <string>

namespace earshot::library {

// An earshot_analysis, for one model.
struct Choice {
    detection::Mode mode = detection::Mode::automatic;
    int hop = 0; // tokens
    int channel = 0;
    detection::EventSettings rules, liveRules; // live ones are by thresholds
    std::vector<bool> reported;                // (classes); empty: all
    bool keepsActivations = false, live = false;
    earshot_progress progress = nullptr;
    void* user = nullptr;

    // Throws Stopped if the progress function asks for it. done: 0 to 1, or -1.
    void report(double done) const;
};
Choice chosen(const earshot_analysis* given, const detection::ListeningModel& model);

earshot_model_options modelOptions(const earshot_model_options* given);

// Samples of somebody else's, (frames, channels) in either order.
struct Samples {
    const float* interleaved = nullptr;
    const float* const* planes = nullptr;
    std::size_t frames = 0;
    std::size_t channels = 0;

    float at(std::size_t frame, std::size_t channel) const {
        return planes != nullptr ? planes[channel][frame] : interleaved[frame * channels + channel];
    }
};
void requireRate(double rate);
void requireChannels(std::int32_t channels);
// Checks frames and pointers.
Samples checkedSamples(const float* interleaved, const float* const* planes, std::size_t frames,
                       std::int32_t channels);
// Checks all of it.
Samples checkedSamples(const earshot_audio* given);

} // namespace earshot::library
