// Made backgrounds: white, pink and brown noise in any mixture, and mains hum. The noise is kept as three
// long tables that are read at random places, so that a background costs a few additions a sample. Immutable
// once made: any thread.
#pragma once

#include "Core/Training/Data/Dice.h"

#include <span>
#include <vector>

namespace earshot::training {

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

} // namespace earshot::training
