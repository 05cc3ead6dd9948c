// Makes one channel of the chosen ones of a recording, by their mean, and notices where they cancel each
// other out. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace earshot::audio {

// The mean energy of samples around their mean, which is silent.
class Energy {
  public:
    void add(double sample) {
        sum_ += sample;
        squares_ += sample * sample;
        count_ += 1.0;
    }
    void add(const Energy& other) {
        sum_ += other.sum_;
        squares_ += other.squares_;
        count_ += other.count_;
    }
    // 0 without samples, and for what rounding leaves of samples that are all the same.
    double value() const {
        if (count_ == 0.0) return 0.0;
        const double mean = sum_ / count_, least = 1e-12 * squares_ / count_;
        const double energy = squares_ / count_ - mean * mean;
        return energy > least ? energy : 0.0;
    }

  private:
    double sum_ = 0.0, squares_ = 0.0, count_ = 0.0;
};

class ChannelMix {
  public:
    // channels: of a frame, from 0; those that are mixed.
    ChannelMix(std::vector<std::size_t> channels, int sampleRate);

    // frame: (all channels of the file), finite.
    float mix(const float* frame);

    // How many dB the mean of the channels lies below the channels themselves: see AudioFile::mixLoss().
    double loss() const;
    // That they cancelled each other out, all in all or for two seconds or more, and what to do: a clause for
    // the user.
    std::optional<std::string> warning() const;

    const std::vector<std::size_t>& channels() const { return channels_; }

  private:
    struct Meter {
        std::vector<Energy> channels; // (mixed channels)
        Energy mix;

        void add(const Meter& other);
        double loss() const; // dB
    };
    struct Cancelled {
        std::int64_t begin = 0, end = 0; // windows
    };

    void endWindow();
    bool isOdd(double loss) const; // dB
    double seconds(std::int64_t windows) const;

    std::vector<std::size_t> channels_;
    int sampleRate_;                 // Hz
    std::int64_t windowFrames_;      // half a second
    std::int64_t frames_ = 0;        // of this window
    std::int64_t windows_ = 0;       // so far
    Meter before_, window_;          // all windows before this one, and this one
    std::int64_t begin_ = -1;        // the window since which they cancel; -1: they do not
    std::optional<Cancelled> first_; // the first such stretch
    std::int64_t cancelled_ = 0;     // windows of all such stretches
};

} // namespace earshot::audio
