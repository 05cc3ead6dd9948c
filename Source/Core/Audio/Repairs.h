// What decoders get wrong about a file, found before one opens it: headers that count less or more than is
// there, ends without a mark, containers that they do not read. Any kind of file. One thread at a time.
#pragma once

#include "Core/Audio/Containers.h"
#include "Core/Audio/FlacFrames.h"
#include "Core/Audio/InputFile.h"

#include <optional>
#include <vector>

namespace earshot::audio {

struct Repairs {
    std::vector<Correction> corrections = {}; // what a decoder has to read
    std::optional<CountedAudio> counted = {};
    std::optional<FlacLength> flac = {};
    bool cut = false;            // Ogg and FLAC: what the file ends with is not complete
    bool joined = false;         // Ogg FLAC: another recording follows
    bool wrongPositions = false; // Ogg: they were made right
};

// From here on the input reads as a decoder needs it. Reads little of the file, but for Ogg FLAC (the headers
// of all pages), VOC (those of all blocks) and Ogg with wrong positions (all of it, into a temporary copy).
// Throws Error where that is not possible.
Repairs repair(InputFile& input);

} // namespace earshot::audio
