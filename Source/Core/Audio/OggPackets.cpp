#include "Core/Audio/OggPackets.h"

#include "Core/Audio/OggPages.h"

#include <algorithm>
#include <bit>
#include <string>

namespace earshot::audio {

namespace {

unsigned byteOf(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

// Samples at 48 kHz of an Opus packet.
std::int64_t opusSamples(std::string_view packet) {
    if (packet.empty()) return 0;
    const unsigned toc = byteOf(packet, 0), config = toc >> 3;
    std::int64_t frame = 0;
    if (config < 12) // SILK: 10, 20, 40 or 60 ms
        frame = (config % 4 == 3) ? 2880 : std::int64_t{480} << config % 4;
    else if (config < 16) // hybrid: 10 or 20 ms
        frame = std::int64_t{480} << config % 2;
    else // CELT: 2.5, 5, 10 or 20 ms
        frame = std::int64_t{120} << config % 4;
    const unsigned code = toc & 3u;
    if (code == 3) return packet.size() < 2 ? 0 : frame * static_cast<std::int64_t>(byteOf(packet, 1) & 63u);
    return code == 0 ? frame : 2 * frame;
}

// The third packet of the stream, with what Vorbis needs to decode. Empty if it is not there or too large.
std::string thirdPacket(InputFile& input, const OggPage& head) {
    constexpr std::size_t maxHeaderBytes = 1u << 20;
    std::string packet;
    int packets = 0;
    std::int64_t at = head.end();
    while (const auto page = oggPageAt(input, at)) {
        std::int64_t from = page->at + page->headerBytes;
        at = page->end();
        if (page->serial != head.serial) continue;
        for (const char segment : page->lacing) {
            const auto bytes = static_cast<unsigned char>(segment);
            packet += bytesAt(input, from, bytes);
            from += bytes;
            if (packet.size() > maxHeaderBytes) return {};
            if (bytes == 255) continue;
            if (++packets == 2) return packet;
            packet.clear();
        }
    }
    return {};
}

// Reads bits from the end of a packet backwards. Vorbis packs from the lowest bit on.
class BitsFromEnd {
  public:
    explicit BitsFromEnd(std::string_view bytes)
        : bytes_(bytes)
        , left_(bytes.size() * 8) {}

    std::size_t left() const { return left_; }
    unsigned take(unsigned count) {
        unsigned value = 0;
        for (; count > 0 && left_ > 0; --count) {
            --left_;
            value = value << 1 | (byteOf(bytes_, left_ / 8) >> left_ % 8 & 1u);
        }
        return value;
    }

  private:
    std::string_view bytes_;
    std::size_t left_;
};

// The modes stand at the end of the header: a flag for long blocks, two types of 16 bits that are zero, and a
// mapping of 8 bits each, behind their number less one in 6 bits. Nothing before them says where they begin,
// so the longest run that its own number fits is taken, as ffmpeg does.
std::vector<bool> longModesOf(std::string_view setup) {
    constexpr unsigned modeBits = 41;
    BitsFromEnd bits(setup);
    while (bits.left() > 0 && bits.take(1) == 0) {
    }
    std::vector<bool> found, fitting;
    for (int mode = 0; mode < 64 && bits.left() > modeBits; ++mode) {
        const unsigned mapping = bits.take(8), transform = bits.take(16), window = bits.take(16);
        const bool isLong = bits.take(1) != 0;
        if (mapping > 63 || transform != 0 || window != 0) break;
        found.insert(found.begin(), isLong);
        BitsFromEnd ahead = bits;
        if (ahead.take(6) + 1 == found.size()) fitting = found;
    }
    return fitting;
}

} // namespace

bool OggPackets::readVorbis(InputFile& input, std::string_view identification) {
    constexpr std::size_t rateAt = 12, blocksAt = 28;
    constexpr int minBlockBits = 6, maxBlockBits = 13;
    if (identification.size() <= blocksAt) return false;
    std::uint32_t rate = 0;
    for (std::size_t i = 4; i-- > 0;) rate = rate << 8 | byteOf(identification, rateAt + i);
    const unsigned blocks = byteOf(identification, blocksAt);
    const int shortBits = static_cast<int>(blocks & 15u), longBits = static_cast<int>(blocks >> 4);
    if (rate == 0 || rate > 1'000'000 || shortBits < minBlockBits || longBits > maxBlockBits ||
        shortBits > longBits)
        return false;
    rate_ = static_cast<int>(rate);
    blocks_ = {1 << shortBits, 1 << longBits};
    const auto head = oggPageAt(input, 0);
    const std::string setup = thirdPacket(input, *head);
    if (!setup.starts_with("\5vorbis")) return false;
    longModes_ = longModesOf(setup);
    return !longModes_.empty();
}

std::optional<OggPackets> OggPackets::of(InputFile& input) {
    constexpr std::size_t identificationBytes = 30;
    const auto head = oggPageAt(input, 0);
    if (!head) return std::nullopt;
    const std::string identification = bytesAt(input, head->headerBytes, identificationBytes);
    OggPackets packets;
    packets.opus_ = identification.starts_with("OpusHead");
    if (packets.opus_) return packets;
    if (!identification.starts_with("\1vorbis") || !packets.readVorbis(input, identification))
        return std::nullopt;
    return packets;
}

std::int64_t OggPackets::samples(std::string_view packet) {
    if (packet.starts_with("OpusTags")) return 0;
    if (opus_) return opusSamples(packet);
    if (packet.empty() || (byteOf(packet, 0) & 1u) != 0) return 0; // a header
    const auto modeBits = std::bit_width(longModes_.size() - 1);
    const std::size_t mode = byteOf(packet, 0) >> 1 & ((1u << modeBits) - 1);
    if (mode >= longModes_.size()) return 0;
    const int block = blocks_[longModes_[mode] ? 1 : 0];
    const std::int64_t samples = before_ ? (*before_ + block) / 4 : 0;
    before_ = block;
    return samples;
}

} // namespace earshot::audio
