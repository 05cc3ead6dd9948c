// The pages of an Ogg file (RFC 3533): whether its end is there, and whether the positions in them fit the
// audio that they hold. Decoders believe these positions: with too small ones they end early, without a word.
// Reads at most some hundred kilobytes, unless a function says otherwise. One thread at a time.
#pragma once

#include "Core/Audio/Containers.h"
#include "Core/Audio/InputFile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::audio {

struct OggPage {
    std::int64_t at = 0; // in the file
    std::int64_t headerBytes = 0;
    std::int64_t bodyBytes = 0;
    unsigned flags = 0;
    std::int64_t position = 0; // "granule position"; -1: no packet ends here
    std::uint32_t serial = 0;  // of its stream
    std::uint32_t number = 0;  // in its stream
    std::string lacing = {};   // the length of each segment

    static constexpr unsigned continued = 1; // flags: its first packet began on an earlier page
    static constexpr unsigned first = 2;
    static constexpr unsigned last = 4;

    std::int64_t end() const { return at + headerBytes + bodyBytes; }
    bool has(unsigned flag) const { return (flags & flag) != 0; }
    // Whether its last packet ends on it.
    bool endsPacket() const { return lacing.empty() || static_cast<unsigned char>(lacing.back()) < 255; }
};

// The page that begins at that place; null if none does, or not all of its header is there.
std::optional<OggPage> oggPageAt(InputFile& input, std::int64_t at);

// Cuts zeros behind the last page.
void cutOggZeros(InputFile& input);

// Whether the file's last page, and its last packet, are complete. Encoders that were ended, and programs
// that cut a stream into files, do not mark a last page.
bool oggEndIsThere(InputFile& input);

// With it a decoder finds the last page marked as the last, so that it may end in the midst of a packet. Null
// where it is marked, or not complete.
std::optional<std::vector<Correction>> markOggEnd(InputFile& input);

// Whether another stream begins where the decoder stopped. It has read a little beyond the end of its own.
bool oggStreamFollows(InputFile& input);

// Whether the positions of the last pages cannot be those of their audio (Opus and Vorbis).
bool oggPositionsLie(InputFile& input);

// Replaces the input by a temporary copy in which each page has the position that follows from its packets.
// Reads the whole file. Throws Error where there is no room for the copy.
void countOggPackets(InputFile& input);

enum class OggFlac { none, whole, cut, joined };

// From here on the input reads as the native FLAC stream that Ogg holds (https://xiph.org/flac/ogg_mapping).
// Reads the headers of all pages. Throws Error if there are too many.
OggFlac unwrapOggFlac(InputFile& input);

} // namespace earshot::audio
