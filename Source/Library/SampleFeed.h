// Samples of any rate, channels and order as the mono samples that a model takes, as a file with the same
// samples gives them. One thread at a time.
#pragma once

#include "Library/Arguments.h"

#include "Core/Audio/ChannelMix.h"
#include "Core/Audio/LevelMeter.h"
#include "Core/Audio/Resampler.h"

#include <cstdint>
#include <string>
#include <vector>

namespace earshot::library {

class SampleFeed {
  public:
    // channel: counted from 1; 0: the mix. Throws Failure if there is no such channel.
    SampleFeed(double rate, std::size_t channels, int channel, double modelRate);

    // Takes frames `first` to `first` + `count`, and appends what they complete.
    void push(const Samples& samples, std::size_t first, std::size_t count, std::vector<float>& output);
    // Appends the rest. Call it last.
    void finish(std::vector<float>& output);

    std::uint64_t frames() const { return frames_; } // so far
    double seconds() const { return static_cast<double>(frames_) / rate_; }
    // What the user should know, as clauses. Known at the end.
    std::vector<std::string> remarks() const;

  private:
    float usable(float sample);

    double rate_; // Hz
    audio::ChannelMix mix_;
    audio::LevelMeter meter_;
    audio::Resampler resampler_;
    std::vector<float> frame_; // (channels)
    std::vector<float> mono_;
    std::uint64_t frames_ = 0;
    std::int64_t notFinite_ = 0; // samples
};

} // namespace earshot::library
