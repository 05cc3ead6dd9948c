// How many samples a packet of an Ogg stream holds: Opus (RFC 6716, section 3.1) and Vorbis I (its
// specification, sections 4.2 and 4.3). One thread at a time.
#pragma once

#include "Core/Audio/InputFile.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace earshot::audio {

class OggPackets {
  public:
    static constexpr std::size_t bytesNeeded = 2; // of a packet

    // Reads the headers of the stream that the file begins with. Null if it is of another kind, or damaged.
    static std::optional<OggPackets> of(InputFile& input);

    // Of the next packet, by its first bytes: those that a decoder gives when it has it (Vorbis: the overlap
    // with the packet before it; none for the first).
    std::int64_t samples(std::string_view packet);

    int rate() const { return rate_; } // Hz, of positions

  private:
    OggPackets() = default;
    bool readVorbis(InputFile& input, std::string_view identification);

    int rate_ = 48000;
    bool opus_ = false;
    std::array<int, 2> blocks_{}; // Vorbis: samples of a short and a long block
    std::vector<bool> longModes_; // Vorbis: of each mode
    std::optional<int> before_;   // Vorbis: samples of the last block
};

} // namespace earshot::audio
