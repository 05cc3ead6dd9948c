// Recovers the settings of a mel matrix from its values. HTS-AT and CLAP keep the matrix of their log-mel
// frontend in their checkpoints, and with it the sample rate that no other tensor shows. Pure functions: any
// thread.
//
// Each band is a triangle over frequency, whose corners follow from the slopes of its sides. With Slaney's
// area normalisation (librosa, torchlibrosa) a band's height is 2 / (its width in Hz), so that the spacing of
// the bins in Hz follows. Without it (torchaudio's norm=None), the curvature of the mel scale tells usual
// rates apart. The settings count only if the matrix that they give is the one that was read.
#pragma once

#include "Core/Frontend/LogMelSettings.h"

#include <cstdint>
#include <optional>
#include <span>

namespace earshot::model {

struct MelSettings {
    int sampleRate = 0;  // Hz
    double lowHz = 0.0;  // where the lowest band begins
    double highHz = 0.0; // where the highest band ends; may lie beyond half the rate
    frontend::MelScale scale = frontend::MelScale::slaney;

    bool operator==(const MelSettings&) const = default;
};

// Larger matrices are not read for it: 128 bands for an FFT of 16384 samples take less than a second.
inline constexpr std::int64_t maxMelMatrix = std::int64_t{8193} * 128;

// matrix: (bins, bands) row-major, for an FFT of 2 (bins - 1) samples; its values may have been rounded to
// half precision. Returns nothing if it is no bank of mel triangles, or if several rates would give it.
std::optional<MelSettings> recoverMelSettings(std::span<const float> matrix, int bins, int bands);

} // namespace earshot::model
