// What the containers of audio say of their own length, where a decoder ends without a word: frames of MPEG
// audio, chunks of WAV and its like. They read the file at some places and leave its position
// as it is. One thread at a time.
#pragma once

#include "Core/Audio/InputFile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::audio {

// Up to `count` bytes from that offset.
std::string bytesAt(InputFile& input, std::int64_t from, std::size_t count);

// The bytes of the tags (ID3, APE) that the file begins with, and of those that end there.
std::int64_t leadingTagBytes(InputFile& input);
std::int64_t trailingTagBytes(InputFile& input, std::int64_t end);

// Where zeros begin that reach to the end of the file, as in space that was reserved and never used.
std::int64_t endWithoutZeros(InputFile& input);

// Whether more frames of MPEG audio follow where the decoder stopped, perhaps behind tags.
bool mpegFramesFollow(InputFile& input);

// What a decoder has to read in a file instead of its own bytes.
struct Correction {
    std::int64_t at = 0;
    std::string bytes;
};

// The audio of a WAV, RF64, BW64, W64, AIFF, AU or CAF file, as its header counts it.
struct CountedAudio {
    std::int64_t begin = 0; // bytes
    std::int64_t bytes = 0;
    // Bytes behind the audio that are neither chunks, nor tags, nor filler.
    std::int64_t unexplained = 0;
    // With them libsndfile reads BW64 as RF64, and to its end what was never counted.
    std::vector<Correction> corrections = {};
    // With them it also reads what is unexplained.
    std::vector<Correction> extension = {};
};

// With more than 4 GiB of audio no bytes of a WAV count it: from here on the input reads as RF64. Returns
// false where that is not possible.
bool widenWav(InputFile& input, const CountedAudio& audio);

// Returns null if the file is of another kind, or has no audio.
std::optional<CountedAudio> findCountedAudio(InputFile& input);

// The bytes of a chunk without its header.
struct Chunk {
    std::int64_t begin = 0;
    std::int64_t bytes = 0; // not beyond the end of the file
};
// Returns the first chunk of that name (four characters) in a WAV, RF64 or BW64 file; null: there is none.
std::optional<Chunk> findWavChunk(InputFile& input, std::string_view name);

} // namespace earshot::audio
