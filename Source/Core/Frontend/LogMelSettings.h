// The settings of a log-mel spectrogram: rates, sizes and the mel bank. The defaults are HTS-AT's. A plain
// value: any thread may read it.
#pragma once

#include <vector>

namespace earshot::frontend {

// slaney: linear below 1 kHz, logarithmic above (Auditory Toolbox, librosa). htk: 2595 log10(1 + f / 700).
enum class MelScale { slaney, htk };

// The smallest value of a log-mel spectrogram: 10 log10(1e-10), digital silence.
inline constexpr float silenceDecibels = -100.0f;

struct LogMelSettings {
    int sampleRate = 32000; // Hz
    int fftSize = 1024;     // samples, also the taper's length; even
    int hopSize = 320;      // samples
    int melBands = 64;
    double lowHz = 50.0;
    double highHz = 14000.0;
    MelScale scale = MelScale::slaney;
    // A checkpoint's own filter matrix, (fftSize / 2 + 1, melBands) row-major; empty: the filters are
    // computed from the settings above.
    std::vector<float> filters;

    int bins() const { return fftSize / 2 + 1; }
};

// Throws earshot::Error, naming the first value with which no spectrogram can be made.
void validate(const LogMelSettings& settings);

} // namespace earshot::frontend
