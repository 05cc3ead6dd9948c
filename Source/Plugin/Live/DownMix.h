// Mixes channels to mono by their mean, as AudioFile does for recordings: LFE is no part of it, and of
// ambisonics W alone. Non-finite samples count as silence. Runs on the audio thread and allocates nothing.
#pragma once

#include "Core/Base/Realtime.h"

#include <juce_audio_basics/juce_audio_basics.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace earshot::plugin {

inline constexpr int downMixChunk = 512; // samples

// A bit for each of the first 64 channels of a bus that its mix leaves out. Not for the audio thread.
inline std::uint64_t leftOutOfMix(const juce::AudioChannelSet& bus) {
    if (bus.getAmbisonicOrder() >= 0) return ~std::uint64_t{1}; // ACN: W is the first
    std::uint64_t leftOut = 0;
    for (int channel = 0; channel < std::min(64, bus.size()); ++channel) {
        const auto type = bus.getTypeOfChannel(channel);
        if (type == juce::AudioChannelSet::LFE || type == juce::AudioChannelSet::LFE2)
            leftOut |= std::uint64_t{1} << channel;
    }
    return leftOut;
}

struct MixedChannels {
    int chosen = 0; // the only one, from 1; anything else: the mix
    std::uint64_t leftOut = 0;

    bool has(int channel, int channels) const noexcept {
        if (chosen > 0 && chosen <= channels) return channel == chosen - 1;
        return channel >= 64 || (leftOut >> channel & 1) == 0;
    }
};

// Fills `mono` (at most downMixChunk samples) from the buffer's samples from `first` on.
template <typename Sample>
void mixToMono(const juce::AudioBuffer<Sample>& buffer, int first, std::span<float> mono,
               const MixedChannels& mixed) noexcept EARSHOT_REALTIME {
    std::array<double, downMixChunk> sum{};
    int count = 0;
    for (int channel = 0; channel < buffer.getNumChannels(); ++channel) {
        if (!mixed.has(channel, buffer.getNumChannels())) continue;
        ++count;
        const Sample* samples = buffer.getReadPointer(channel, first);
        for (std::size_t i = 0; i < mono.size(); ++i)
            sum[i] += std::isfinite(samples[i]) ? static_cast<double>(samples[i]) : 0.0;
    }
    const double channels = std::max(1, count);
    for (std::size_t i = 0; i < mono.size(); ++i) mono[i] = static_cast<float>(sum[i] / channels);
}

} // namespace earshot::plugin
