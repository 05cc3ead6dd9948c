// What the frames of a FLAC file say of its length (RFC 9639), which its header may have wrong: a recorder
// that lost power, a stream that was saved, an encoder that wrote into a pipe. Reads the header and at most
// some megabytes at the end. One thread at a time.
#pragma once

#include "Core/Audio/Containers.h"
#include "Core/Audio/InputFile.h"

#include <cstdint>
#include <optional>

namespace earshot::audio {

struct FlacLength {
    std::int64_t counted = 0; // samples a channel that the header counts; 0: not known
    // Samples a channel up to the end of the last frame. Null: the last frame is not complete, or none is
    // there.
    std::optional<std::int64_t> present;
    int bits = 0;             // a sample
    std::int64_t countAt = 0; // where the header has 5 bytes, of which the last 36 bits are the count

    // With it a decoder finds what is present.
    Correction correction(InputFile& input) const;
};

// Also cuts what follows the last frame and is no audio: zeros and tags. Null if the file is no FLAC file.
std::optional<FlacLength> measureFlac(InputFile& input);

// Whether another FLAC file begins near the place where the decoder stopped.
bool flacFollows(InputFile& input);

} // namespace earshot::audio
