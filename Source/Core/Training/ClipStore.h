// All clips of a data set decoded to mono at the model's rate and kept in memory as 16-bit samples (some 4 MB
// a minute at 32 kHz), with where each of them sounds. Built once by several threads, then immutable: any
// thread.
#pragma once

#include "Core/Training/DataSet.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace earshot::training {

struct Activity {
    std::int64_t first = 0; // sample
    std::int64_t last = 0;  // sample, one past the end
};

struct StoredClip {
    const Clip* clip = nullptr; // in the data set
    std::vector<std::int16_t>
        samples; // normalised so that its loudest 0.1 s has an RMS of -20 dBFS; peaks clipped softly
    std::vector<Activity> activity; // stretches in which it sounds, by its energy envelope
};

class ClipStore {
  public:
    // progress(done, total): returning false stops (then throws earshot::Error "stopped"). Files that cannot
    // be read, are silent, or shorter than 20 ms are left out and added to data.problems. `data` must outlive
    // this.
    ClipStore(DataSet& data, int sampleRate, int threads,
              const std::function<bool(std::size_t, std::size_t)>& progress);

    std::span<const StoredClip> clips() const { return clips_; }
    int sampleRate() const { return sampleRate_; }

  private:
    std::vector<StoredClip> clips_;
    int sampleRate_;
};

} // namespace earshot::training
