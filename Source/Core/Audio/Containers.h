// What the containers of audio say of their own length, where a decoder ends without a word: pages of Ogg,
// frames of MPEG audio, chunks of WAV and its like. They read the file at some places and leave its position
// as it is. One thread at a time.
#pragma once

#include "Core/Audio/InputFile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::audio {

// Whether the file's last Ogg page is complete and marked as the last of its stream.
bool oggStreamEnds(InputFile& input);

// Whether another stream begins where the decoder stopped. It has read a little beyond the end of its own.
bool oggStreamFollows(InputFile& input);

// Whether more frames of MPEG audio follow where the decoder stopped, perhaps behind tags.
bool mpegFramesFollow(InputFile& input);

// What a decoder has to read in a file instead of its own bytes.
struct Correction {
    std::int64_t at = 0;
    std::string bytes;
};

// The audio of a WAV, RF64, BW64, W64, AIFF or AU file, as its header counts it.
struct CountedAudio {
    std::int64_t begin = 0; // bytes
    std::int64_t bytes = 0;
    // Bytes behind the audio of a WAV, RF64 or BW64 that are neither chunks, nor tags, nor filler.
    std::int64_t unexplained = 0;
    // With them libsndfile reads BW64 as RF64, and to its end what was never counted.
    std::vector<Correction> corrections = {};
};

// Returns null if the file is of another kind, or has no audio.
std::optional<CountedAudio> findCountedAudio(InputFile& input);

// The bytes of a chunk without its header.
struct Chunk {
    std::int64_t begin = 0;
    std::int64_t bytes = 0; // not beyond the end of the file
};
// Returns the first chunk of that name (four characters) in a WAV, RF64 or BW64 file; null: there is none.
std::optional<Chunk> findWavChunk(InputFile& input, std::string_view name);

// Up to `count` bytes from that offset; fewer at the end of the file. The position stays as it is.
std::string bytesAt(InputFile& input, std::int64_t from, std::size_t count);

} // namespace earshot::audio
