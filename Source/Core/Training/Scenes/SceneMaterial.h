// The material of a split's scenes: clips of one class each, by class and group, and backgrounds. Immutable
// once made: any thread. The store and the data set must outlive it.
#pragma once

#include "Core/Training/Data/ClipStore.h"
#include "Core/Training/Data/Dice.h"

#include <span>
#include <string>
#include <vector>

namespace earshot::training {

// Made backgrounds: any mixture of white, pink and brown noise, and mains hum. Three long tables of noise are
// read at random places, so that a background costs a few additions a sample. Immutable once made: any
// thread.
class NoiseBed {
  public:
    NoiseBed();

    // Sets `samples` to noise of a random colour, 1.0 RMS or near it.
    void fill(std::span<float> samples, Dice& dice) const;
    // Adds mains hum of 50 or 60 Hz with harmonics.
    static void addHum(std::span<float> samples, float rms, int sampleRate, Dice& dice);

  private:
    std::vector<float> white_, pink_, brown_; // RMS 1, of the same length
};

class SceneMaterial {
  public:
    // backgroundClasses: see SceneSettings. Throws earshot::Error if the split holds no clip of exactly one
    // class.
    SceneMaterial(const ClipStore& store, const DataSet& data, Split split,
                  std::vector<int> backgroundClasses);

    int sampleRate() const { return sampleRate_; }
    int classes() const { return static_cast<int>(pools_.size()); }
    const NoiseBed& noise() const { return noise_; }
    // Classes that could name a made background.
    const std::vector<int>& backgroundClasses() const { return backgroundClasses_; }

    // Draws evenly among classes, then among the groups of the class, then among the clips of the group. So a
    // session of eighty recordings counts no more than a single one.
    const StoredClip& drawClip(Dice& dice) const;
    // Likewise, for a class that has clips.
    const StoredClip& drawClipOf(int label, Dice& dice) const;
    // A sound of no class; null if there is none.
    const StoredClip* drawDistractor(Dice& dice) const;
    // A sound that a teacher alone names; null if there is none.
    const StoredClip* drawUnlabelled(Dice& dice) const;
    bool hasUnlabelled() const { return !unlabelled_.empty(); }
    // A recorded background; null if there is none.
    const StoredClip* drawBackground(Dice& dice) const;
    // An impulse response of at most a second, from the direct sound on, of energy 1; empty if there is none.
    std::span<const float> drawRoom(Dice& dice) const;
    bool hasBackgrounds() const { return !backgrounds_.empty(); }
    bool hasRooms() const { return !rooms_.empty(); }

  private:
    using Pool = std::vector<std::vector<const StoredClip*>>; // by group
    static const StoredClip& drawFrom(const Pool& pool, Dice& dice);
    Pool& poolOf(int label);

    int sampleRate_;
    std::vector<Pool> pools_; // by class
    Pool distractors_, unlabelled_;
    Pool backgrounds_;
    std::vector<std::vector<float>> rooms_; // impulse responses
    std::vector<int> drawn_;                // classes with clips
    std::vector<int> backgroundClasses_;
    NoiseBed noise_;
};

} // namespace earshot::training
