// All clips of a data set decoded to mono at the model's rate and kept in memory as 16-bit samples (some 4 MB
// a minute at 32 kHz), with where each of them sounds. Built once by several threads, then immutable: any
// thread.
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
    // Normalised so that the loudest 0.1 s has an RMS of -20 dBFS, or less where its peaks reach full scale.
    std::vector<std::int16_t> samples;
    std::vector<Activity> activity; // stretches in which it sounds, by its spans when it has strong labels,
                                    // else by its energy envelope
};

class ClipStore {
  public:
    // progress(done, total) is called on the calling thread, which decodes as well: returning false stops
    // (then throws earshot::Error "stopped"). Added to data.problems and left out: files that cannot be read,
    // hold values that are no numbers, are silent, or shorter than 20 ms; files with the very samples of
    // another, when their labels differ (both: one of them is wrong), or when it is trained on already. Of
    // files longer than ten minutes the beginning is kept. Clips of Split::unused are not decoded. `data`
    // must outlive this.
    ClipStore(DataSet& data, int sampleRate, int threads,
              const std::function<bool(std::size_t, std::size_t)>& progress);

    // In the order of the data set.
    std::span<const StoredClip> clips() const { return clips_; }
    int sampleRate() const { return sampleRate_; }

  private:
    std::vector<StoredClip> clips_;
    int sampleRate_;
};

// Throws earshot::Error, as readDataSet() does, when bad files left a class with fewer clips, of both splits.
void requireClips(const DataSet& data, const ClipStore& store, int fewest);

} // namespace earshot::training
