#include "Core/Formats/OscMessage.h"

#include "Core/Base/Unicode.h"

#include <bit>
#include <cstdint>

namespace earshot::formats {

namespace {

constexpr std::size_t maxLabel = 200; // bytes

// With at least one zero behind it, up to a multiple of four bytes.
std::string padded(std::string text) {
    constexpr std::size_t step = 4;
    text.resize((text.size() / step + 1) * step, '\0');
    return text;
}

template <typename Word>
std::string bigEndian(Word word) {
    std::string bytes;
    for (int shift = 8 * (static_cast<int>(sizeof(Word)) - 1); shift >= 0; shift -= 8)
        bytes += static_cast<char>(static_cast<unsigned char>(word >> shift));
    return bytes;
}

std::string real(double value) { return bigEndian(std::bit_cast<std::uint64_t>(value)); }
std::string real(float value) { return bigEndian(std::bit_cast<std::uint32_t>(value)); }

// A null would end the string, and a cut must not leave half a character.
std::string oscLabel(const TimedEvent& event) {
    std::string label = validUtf8(labelWithChannel(event));
    std::erase(label, '\0');
    if (label.size() <= maxLabel) return label;
    std::size_t end = maxLabel;
    const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80u; };
    while (end > 0 && continues(label[end])) --end;
    return label.substr(0, end);
}

} // namespace

std::string oscMessage(const TimedEvent& event) {
    return padded("/earshot/event") + padded(",sddf") + padded(oscLabel(event)) + real(event.onset) +
           real(event.offset) + real(certainty(event));
}

} // namespace earshot::formats
