// What scenes of a split are mixed from: clips of one class each, by class and group, and backgrounds.
// Immutable once made: any thread. The store and the data set must outlive it.
#pragma once

#include "Core/Training/Data/ClipStore.h"
#include "Core/Training/Data/Dice.h"
#include "Core/Training/Scenes/NoiseBed.h"

#include <string>
#include <vector>

namespace earshot::training {

class SceneMaterial {
  public:
    // Throws earshot::Error when the split holds no clip of exactly one class.
    SceneMaterial(const ClipStore& store, const DataSet& data, Split split,
                  const std::vector<std::string>& backgroundLabels);

    int sampleRate() const { return sampleRate_; }
    int classes() const { return static_cast<int>(pools_.size()); }
    const NoiseBed& noise() const { return noise_; }
    // Classes that a made background could be taken for.
    const std::vector<int>& backgroundClasses() const { return backgroundClasses_; }

    // Evenly among classes, then among the groups of the class, then among the clips of the group: a session
    // of eighty recordings counts no more than a single one.
    const StoredClip& drawClip(Dice& dice) const;
    // Likewise, of a class that has clips.
    const StoredClip& drawClipOf(int label, Dice& dice) const;
    // A sound of no class, or null when there is none.
    const StoredClip* drawDistractor(Dice& dice) const;

  private:
    using Pool = std::vector<std::vector<const StoredClip*>>; // by group
    static const StoredClip& drawFrom(const Pool& pool, Dice& dice);

    int sampleRate_;
    std::vector<Pool> pools_; // by class
    Pool distractors_;
    std::vector<int> drawn_; // classes that have clips
    std::vector<int> backgroundClasses_;
    NoiseBed noise_;
};

} // namespace earshot::training
