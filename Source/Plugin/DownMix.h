// Mixes all channels to mono by their mean, as AudioFile does for recordings. Non-finite samples count as
// silence. Runs on the audio thread and allocates nothing.
#pragma once

#include "Core/Base/Realtime.h"

#include <juce_audio_basics/juce_audio_basics.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace earshot::plugin {

inline constexpr int downMixChunk = 512; // samples

// Fills `mono` (at most downMixChunk samples) from the buffer's samples from `first` on.
template <typename Sample>
void mixToMono(const juce::AudioBuffer<Sample>& buffer, int first,
               std::span<float> mono) noexcept EARSHOT_REALTIME {
    std::array<double, downMixChunk> sum{};
    for (int channel = 0; channel < buffer.getNumChannels(); ++channel) {
        const Sample* samples = buffer.getReadPointer(channel, first);
        for (std::size_t i = 0; i < mono.size(); ++i)
            sum[i] += std::isfinite(samples[i]) ? static_cast<double>(samples[i]) : 0.0;
    }
    const double channels = std::max(1, buffer.getNumChannels());
    for (std::size_t i = 0; i < mono.size(); ++i) mono[i] = static_cast<float>(sum[i] / channels);
}

} // namespace earshot::plugin
