// A recording as two channels at another sample rate, block by block: for playing, not for analysing.
// One thread at a time.
#pragma once

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/Resampler.h"

#include <span>
#include <vector>

namespace earshot::streaming {

class StereoReader {
  public:
    StereoReader(audio::AudioFile file, double outputRate); // Hz

    double length() const;                 // seconds, 0 when the file does not tell
    void setOutputRate(double outputRate); // Hz; seek() before reading on
    // Goes on there; what cannot be read counts as the end.
    void seek(double seconds);
    void end();
    // Appends the next stretch, at most a second, to both; false at the end, which comes early in a damaged
    // file. Mono is the same on both sides; channels beyond the second are left out.
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
