// Measures how loud a recording is, for messages and for a gain that suits it. One thread at a time.
#pragma once

#include "Core/Audio/ChannelMix.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace earshot::audio {

// What a gain of "auto" brings the loudest second of a recording to, in dB below full scale (RMS): about the
// middle of the clips that models are trained on.
inline constexpr double autoLevel = -20.0;

class LevelMeter {
  public:
    explicit LevelMeter(int sampleRate)
        : second_(std::max(1, sampleRate)) {}

    void push(std::span<const float> mono) {
        for (const float sample : mono) {
            energy_.add(static_cast<double>(sample));
            if (++frames_ < second_) continue;
            loudest_ = std::max(loudest_, energy_.value());
            energy_ = {};
            frames_ = 0;
            whole_ = true;
        }
    }

    // RMS of the loudest second in dB below full scale, without offset; of all of a shorter recording.
    // Silence is minus infinity.
    double loudest() const {
        const double energy = whole_ ? loudest_ : energy_.value();
        return energy > 0.0 ? 10.0 * std::log10(energy) : -std::numeric_limits<double>::infinity();
    }

  private:
    std::int64_t second_; // frames
    std::int64_t frames_ = 0;
    bool whole_ = false; // a second was complete
    Energy energy_;
    double loudest_ = 0.0;
};

// dB that bring a recording of that level to autoLevel; 0 for silence.
inline double autoGain(double level) { return std::isfinite(level) ? autoLevel - level : 0.0; }

} // namespace earshot::audio
