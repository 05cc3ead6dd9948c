// How a file stores its samples, so that a part of it can be written in the same form. Pure data: any thread.
#pragma once

#include <vector>

namespace earshot::audio {

// Compressed files of 16-bit samples (A-law, ADPCM) are int16. What MP3, Ogg and the like decode to is
// float32.
enum class Samples { int8, int16, int24, int32, float32, float64 };

struct StoredFormat {
    Samples samples = Samples::float32;
    bool flac = false;
    bool extensible = false;        // a WAV with a WAVEFORMATEXTENSIBLE header
    std::vector<int> speakers = {}; // of each channel, by libsndfile's numbers; empty: not stated

    bool isInteger() const { return samples < Samples::float32; }
};

} // namespace earshot::audio
