#include "Core/Audio/FlacFrames.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace earshot::audio {

namespace {

constexpr std::string_view marker = "fLaC";
constexpr std::string_view fileBegin{"fLaC\0\0\0\x22", 8}; // with the header of STREAMINFO, but for its flag
constexpr std::size_t streamInfoBytes = 34;

unsigned octet(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

std::int64_t bigEndian(std::string_view bytes, std::size_t at, std::size_t count) {
    std::int64_t value = 0;
    for (std::size_t i = at; i < at + count; ++i) value = value << 8 | octet(bytes, i);
    return value;
}

unsigned headerChecksum(std::string_view bytes) {
    unsigned sum = 0;
    for (const char c : bytes) {
        sum ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) sum = (sum << 1 ^ ((sum & 0x80u) != 0 ? 0x07u : 0u)) & 0xffu;
    }
    return sum;
}

class FrameChecksum {
  public:
    void add(char c) {
        sum_ = (sum_ << 8 ^ table()[(sum_ >> 8 ^ static_cast<unsigned char>(c)) & 0xffu]) & 0xffffu;
    }
    bool fits() const { return sum_ == 0; } // behind a frame that ends in its checksum

  private:
    static const std::array<unsigned, 256>& table() {
        static const auto values = [] {
            std::array<unsigned, 256> all{};
            for (unsigned i = 0; i < all.size(); ++i) {
                unsigned value = i << 8;
                for (int bit = 0; bit < 8; ++bit)
                    value = value << 1 ^ ((value & 0x8000u) != 0 ? 0x8005u : 0u);
                all[i] = value & 0xffffu;
            }
            return all;
        }();
        return values;
    }

    unsigned sum_ = 0;
};

struct Frame {
    std::int64_t number = 0; // of the frame, or of its first sample
    bool numbersSamples = false;
    std::int64_t samples = 0;
};

// The number of a frame is coded as UTF-8 codes characters, in up to seven bytes. Returns its bytes, 0 if it
// is none.
std::size_t codedNumber(std::string_view bytes, std::int64_t& number) {
    const unsigned lead = octet(bytes, 0);
    if (lead < 0x80u) {
        number = lead;
        return 1;
    }
    std::size_t count = 0;
    while (count < 8 && (lead << count & 0x80u) != 0) ++count;
    if (count < 2 || count > 7 || bytes.size() < count) return 0;
    number = static_cast<std::int64_t>(lead & (0x7fu >> count));
    for (std::size_t i = 1; i < count; ++i) {
        if ((octet(bytes, i) & 0xc0u) != 0x80u) return 0;
        number = number << 6 | (octet(bytes, i) & 0x3fu);
    }
    return count;
}

// The frame whose header begins there.
std::optional<Frame> frameAt(std::string_view bytes) {
    constexpr std::size_t minHeader = 6;
    if (bytes.size() < minHeader || octet(bytes, 0) != 0xffu || (octet(bytes, 1) & 0xfeu) != 0xf8u)
        return std::nullopt;
    const unsigned block = octet(bytes, 2) >> 4, rate = octet(bytes, 2) & 15u;
    if (block == 0 || rate == 15 || (octet(bytes, 3) & 1u) != 0) return std::nullopt;
    Frame frame{.number = 0, .numbersSamples = (octet(bytes, 1) & 1u) != 0, .samples = 0};
    const std::size_t coded = codedNumber(bytes.substr(4), frame.number);
    if (coded == 0) return std::nullopt;
    std::size_t at = 4 + coded;
    const std::size_t blockBytes = block == 6 ? 1 : block == 7 ? 2 : 0;
    const std::size_t rateBytes = rate == 12 ? 1 : rate == 13 || rate == 14 ? 2 : 0;
    if (bytes.size() <= at + blockBytes + rateBytes) return std::nullopt;
    if (blockBytes > 0)
        frame.samples = bigEndian(bytes, at, blockBytes) + 1;
    else
        frame.samples = block == 1 ? 192 : block < 6 ? 576 << (block - 2) : 256 << (block - 8);
    at += blockBytes + rateBytes;
    if (headerChecksum(bytes.substr(0, at)) != octet(bytes, at)) return std::nullopt;
    return frame;
}

struct Last {
    std::int64_t end = 0; // in the file
    Frame frame;
};

// The last frame that is complete and ends where the audio does.
std::optional<Last> lastFrame(InputFile& input, std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t view = 1 << 21;
    constexpr int maxTries = 64;           // frames whose header fits
    constexpr std::size_t maxZeros = 2;    // a checksum may end in zeros
    if (end <= begin) return std::nullopt; // zeros behind a header, or a disk that fails
    const std::int64_t from = std::max(end - view, begin);
    const std::size_t length = static_cast<std::size_t>(end - from);
    std::string bytes = bytesAt(input, from, length + maxZeros + 1);
    // A checksum that ends in zeros fits before they are read, and goes on to fit. They are its own if the
    // file ends there; more of them are no audio.
    const bool endsHere = bytes.size() <= length + maxZeros;
    bytes.resize(std::min(bytes.size(), length + maxZeros));
    int tries = 0;
    for (std::size_t at = bytes.rfind('\xff', length); at != std::string::npos && tries < maxTries;
         at = at == 0 ? std::string::npos : bytes.rfind('\xff', at - 1)) {
        const auto frame = frameAt(std::string_view(bytes).substr(at));
        if (!frame) continue;
        ++tries;
        FrameChecksum sum;
        std::size_t frameEnd = 0;
        for (std::size_t i = at; i < bytes.size() && (endsHere || frameEnd == 0); ++i) {
            sum.add(bytes[i]);
            if (i + 1 >= length && sum.fits()) frameEnd = i + 1;
        }
        if (frameEnd > 0) return Last{from + static_cast<std::int64_t>(frameEnd), *frame};
    }
    return std::nullopt;
}

} // namespace

Correction FlacLength::correction(InputFile& input) const {
    std::string bytes = bytesAt(input, countAt, 5);
    bytes[0] = static_cast<char>((octet(bytes, 0) & 0xf0u) | static_cast<unsigned>(*present >> 32 & 15));
    for (std::size_t i = 1; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(*present >> (32 - 8 * static_cast<int>(i)) & 0xff);
    return {countAt, bytes};
}

std::optional<FlacLength> measureFlac(InputFile& input) {
    constexpr std::size_t blockHeader = 4, infoAt = marker.size() + blockHeader;
    const std::int64_t begin = leadingTagBytes(input);
    const std::string head = bytesAt(input, begin, infoAt + streamInfoBytes);
    if (head.size() < infoAt + streamInfoBytes || !head.starts_with(marker) ||
        (octet(head, marker.size()) & 0x7fu) != 0)
        return std::nullopt;
    constexpr std::size_t countAt = infoAt + 13;
    FlacLength length{.counted = bigEndian(head, countAt, 5) & 0xfffffffff, .present = {}};
    length.bits = static_cast<int>((bigEndian(head, infoAt + 12, 2) >> 4 & 31) + 1);
    length.countAt = begin + static_cast<std::int64_t>(countAt);
    const std::int64_t block = bigEndian(head, infoAt, 2); // the same for all frames that are numbered
    if (const std::int64_t tag = trailingTagBytes(input, input.size()); tag > 0)
        input.cutAt(input.size() - tag); // it may end in zeros
    std::int64_t end = endWithoutZeros(input);
    end -= trailingTagBytes(input, end);
    const auto last = lastFrame(input, begin + static_cast<std::int64_t>(head.size()), end);
    if (!last) return length;
    length.present = last->frame.number * (last->frame.numbersSamples ? 1 : block) + last->frame.samples;
    input.cutAt(last->end);
    return length;
}

bool flacFollows(InputFile& input) {
    constexpr std::int64_t near = 1 << 20;
    const std::int64_t from = std::max<std::int64_t>(input.position() - near, leadingTagBytes(input) + 1);
    constexpr std::int64_t step = 1 << 16; // read at once
    for (std::int64_t begin = from; begin < from + 2 * near; begin += step) {
        const std::size_t wanted = static_cast<std::size_t>(step) + fileBegin.size();
        const std::string bytes = bytesAt(input, begin, wanted);
        for (std::size_t at = 0; (at = bytes.find(marker, at)) != std::string::npos; ++at)
            if (bytes.size() - at >= fileBegin.size() && (octet(bytes, at + 4) & 0x7fu) == 0 &&
                std::string_view(bytes).substr(at + 5, 3) == fileBegin.substr(5))
                return true;
        if (bytes.size() < wanted) break; // the end of the file
    }
    return false;
}

} // namespace earshot::audio
