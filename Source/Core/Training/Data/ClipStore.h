// All clips of a data set, decoded to mono at the model's rate and stored as 16-bit samples (some 4 MB a
// minute at 32 kHz), with the stretches in which each sounds. Several threads build it once; then it is
// immutable: any thread.
#pragma once

#include "Core/Training/Data/ClipActivity.h"
#include "Core/Training/Data/DataSet.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace earshot::training {

struct StoredClip {
    const Clip* clip = nullptr; // in the data set
    // Normalised so that the loudest 0.1 s has an RMS of -20 dBFS, or less if its peaks reach full scale.
    std::vector<std::int16_t> samples;
    std::vector<Activity> activity; // stretches in which it sounds, by its spans when it has strong labels,
                                    // else by its energy envelope
};

class ClipStore {
  public:
    // Calls progress(done, total) on the calling thread, which decodes as well. If progress returns false, it
    // stops and throws earshot::Error "stopped". These files are left out and added to data.problems: files
    // that cannot be read, hold values that are not finite, are silent, or are shorter than 20 ms; and files
    // with exactly the samples of another one (both if their labels differ, otherwise the copy). Of a clip's
    // stretch of its file ten minutes are used at most. Clips of Split::unused are not decoded. `data` must
    // outlive this.
    ClipStore(DataSet& data, int sampleRate, int threads,
              const std::function<bool(std::size_t, std::size_t)>& progress);

    // In the order of the data set.
    std::span<const StoredClip> clips() const { return clips_; }
    int sampleRate() const { return sampleRate_; }

  private:
    std::vector<StoredClip> clips_;
    int sampleRate_;
};

// Throws earshot::Error, as readDataSet() does, if bad files left a class with too few clips in both splits
// together, or with none to train on.
void requireClips(const DataSet& data, const ClipStore& store, int fewest);

} // namespace earshot::training
