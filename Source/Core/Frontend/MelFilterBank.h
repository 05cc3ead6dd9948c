// Mel filters over the bins of a power spectrum.
//
// Triangles with corners equally spaced on the mel scale, each scaled by 2 / (its width in Hz): Slaney's area
// normalisation, as librosa's filters.mel(norm="slaney"). Only the bins from a band's first to its last
// non-zero weight are kept, so that a checkpoint's own dense matrix works as well.
// Immutable: any thread may read it.
#pragma once

#include "Core/Frontend/LogMelSettings.h"

#include <cstddef>
#include <span>
#include <vector>

namespace earshot::frontend {

double hzToMel(double hz, MelScale scale);
double melToHz(double mel, MelScale scale);

// Where frequencies lie in an image of mel bands with the highest on top. Band b peaks at (b + 1) / (bands +
// 1) of the way from the lowest to the highest frequency.
struct MelImage {
    double lowHz = 0.0;
    double highHz = 0.0;
    int bands = 0;
    MelScale scale = MelScale::slaney;

    double position(double hertz) const; // 0 at the top, 1 at the bottom
    double frequency(double position) const;
};

// Computes (bins, melBands) row-major in double precision. It ignores `settings.filters`.
std::vector<float> melFilterMatrix(const LogMelSettings& settings);

class MelFilterBank {
  public:
    // matrix: (bins, bands) row-major.
    MelFilterBank(std::span<const float> matrix, int bins, int bands);

    // power: (bins). energies: (bands), the weighted sum of each band.
    void apply(std::span<const float> power, std::span<float> energies) const;

  private:
    struct Band {
        std::size_t firstBin = 0;
        std::size_t bins = 0;
        std::size_t firstWeight = 0; // in weights_
    };
    std::size_t bins_;
    std::vector<Band> bands_;
    std::vector<float> weights_; // band after band
};

} // namespace earshot::frontend
