// Reads a recording block by block as two channels at another sample rate, for playing, not for analysing.
// One thread at a time.
#pragma once

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/Resampler.h"

#include <cstddef>
#include <vector>

namespace earshot::streaming {

class StereoReader {
  public:
    StereoReader(audio::AudioFile file, double outputRate); // Hz

    double length() const;                 // seconds; 0: the file does not state its length
    void setOutputRate(double outputRate); // Hz; call seek() before the next read()
    // Continues at `seconds`. A position that cannot be read counts as the end.
    void seek(double seconds);
    void end(); // makes read() return false until the next seek()
    // Appends the next block, at most a second, to both. Returns false at the end; a damaged file ends early.
    // Mono is the same on both sides, and so are a chosen channel and W of ambisonics. Channels beyond the
    // second are left out.
    bool read(std::vector<float>& left, std::vector<float>& right);

  private:
    std::size_t decode();

    audio::AudioFile file_;
    audio::Resampler left_;
    audio::Resampler right_;
    std::vector<float> interleaved_; // (frames, channels)
    std::vector<float> channel_;     // (frames)
    bool ended_ = false;
};

} // namespace earshot::streaming
