// WAV files byte by byte, for tests of what other programs write: chunks, formats, 16-bit samples.
#pragma once

#include "Support/AudioMaker.h"

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace earshot::test {

inline std::string littleEndian(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i, value >>= 8) text.push_back(static_cast<char>(value & 0xff));
    return text;
}

inline std::string wavChunk(std::string_view name, const std::string& body) {
    return std::string(name) + littleEndian(body.size(), 4) + body + std::string(body.size() % 2, '\0');
}

// The body of "fmt ": tag 1 is PCM, 3 float, 0xfffe extensible.
inline std::string wavFormat(unsigned tag, unsigned channels, unsigned rate, unsigned bits) {
    const unsigned frame = channels * bits / 8;
    return littleEndian(tag, 2) + littleEndian(channels, 2) + littleEndian(rate, 4) +
           littleEndian(std::uint64_t{rate} * frame, 4) + littleEndian(frame, 2) + littleEndian(bits, 2);
}

inline std::string extensibleFormat(unsigned channels, unsigned rate, unsigned bits, unsigned mask,
                                    std::string_view guid) {
    return wavFormat(0xfffe, channels, rate, bits) + littleEndian(22, 2) + littleEndian(bits, 2) +
           littleEndian(mask, 4) + std::string(guid);
}

inline std::string wavFile(const std::string& chunks) {
    return "RIFF" + littleEndian(chunks.size() + 4, 4) + "WAVE" + chunks;
}

inline std::string pcm16(std::span<const std::int16_t> samples) {
    std::string bytes;
    for (const std::int16_t sample : samples) bytes += littleEndian(static_cast<std::uint16_t>(sample), 2);
    return bytes;
}

inline std::string pcm16(std::span<const float> samples) {
    std::string bytes;
    for (const float sample : samples)
        bytes += littleEndian(static_cast<std::uint16_t>(std::lround(sample * 32767.0f)), 2);
    return bytes;
}

} // namespace earshot::test
