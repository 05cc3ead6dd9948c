// Cheap models of what happens to a sound on its way to a microphone: other speeds, colours and rooms. In
// place on mono samples. Objects belong to one thread at a time; functions are pure.
#pragma once

#include "Core/Frontend/Fft.h"
#include "Core/Training/Data/Dice.h"
#include "Core/Training/Data/Example.h"
#include "Core/Training/Data/SceneSettings.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace earshot::training {

// Appends input[first, last) played `speed` times as fast (cubic Hermite interpolation), full scale 1.
void appendAtSpeed(std::span<const std::int16_t> input, std::int64_t first, std::int64_t last, double speed,
                   std::vector<float>& output);

// Raised-cosine fades, no longer than the sound.
void fadeIn(std::span<float> samples, std::size_t length);
void fadeOut(std::span<float> samples, std::size_t length);

// A first-order shelf: `decibels` above the pivot frequency relative to below it, half of it on each side.
void tilt(std::span<float> samples, double pivotHz, double decibels, double sampleRate);

// Butterworth low-pass of order 2 * sections (1 to 5 sections).
void lowPass(std::span<float> samples, double cutHz, int sections, double sampleRate);

float peakOf(std::span<const float> samples);    // the largest magnitude
double energyOf(std::span<const float> samples); // sum of squares

// A small room after Schroeder (1962): four combs and two all-passes, added to the dry sound.
class Reverb {
  public:
    struct Room {
        double size = 1.0;    // scales the delays, 0.5 to 2
        double seconds = 0.4; // until the sound has fallen by 60 dB
        float wet = 0.3f;
    };
    void process(std::span<float> samples, const Room& room, double sampleRate);

  private:
    std::vector<float> wet_;   // as samples
    std::vector<float> delay_; // of one filter at a time
};

// A recorded room: convolution with its impulse response, by overlapping blocks (Stockham 1966).
class Convolver {
  public:
    // wet: the share of the convolved sound, 0 to 1; the rest stays dry. The sound keeps its length.
    void process(std::span<float> samples, std::span<const float> response, float wet);

  private:
    void multiply(frontend::RealFft& fft) const;

    std::map<int, frontend::RealFft> transforms_; // by size
    std::vector<float> spectrum_;                 // of the response
    std::vector<float> sum_;                      // the convolved sound
};

// SpecAugment's stripes for one example. A pure function of the dice: any thread.

// Appends at most settings.timeStripes and settings.melStripes stripes, within the window.
void drawStripes(Dice& dice, const SceneSettings& settings, int frames, int bands,
                 std::vector<Stripe>& stripes);

// Another microphone in another room: gains over the mel bands, the same in all frames of an example.
// FilterAugment, linear (Nam, Kim, Ko and Park, "FilterAugment: an acoustic environmental data augmentation
// method", 2022). A pure function of the dice: any thread.

// logMel: (frames, bands) dB. Digital silence is not changed, and nothing falls below it.
void applyFilterAugment(Dice& dice, const SceneSettings& settings, int bands, std::span<float> logMel);

// Mixup (Zhang et al. 2018) within a batch: an example becomes a weighted sum of itself and another, spectrum
// (in decibels) and targets alike. Pure functions: any thread.
struct Mix {
    std::size_t other = 0; // example of the batch; the example itself if it is not mixed
    float share = 0.0f;    // of the other example, at most a half
};

// For each example, from the batch's seed. share: of examples that are mixed; alpha: of the Beta
// distribution, above 0, at most 2.
std::vector<Mix> chooseMixes(std::size_t batch, float share, float alpha, std::uint64_t seed);

// Strong labels mix with strong ones only, and only if the same classes are known.
bool canMix(const Example& a, const Example& b);

// Writes a's spectrum, mixed with b's, to `logMel`, and the labels to `labels` (whose logMel stays empty).
// Taught sounds are a's alone, which is the louder part.
void mix(const Example& a, const Example& b, float share, std::span<float> logMel, Example& labels);

} // namespace earshot::training
