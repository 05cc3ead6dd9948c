#include "Core/Formats/OscMessage.h"

#include "Core/Base/Unicode.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace earshot::formats {

namespace {

constexpr std::size_t maxText = 200; // bytes

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

std::string real(double value) { return bigEndian(std::bit_cast<std::uint32_t>(static_cast<float>(value))); }

std::string exactTime(double seconds) {
    const double whole = std::floor(seconds);
    return bigEndian(static_cast<std::uint32_t>(static_cast<std::int64_t>(whole))) + real(seconds - whole);
}

// A null would end the string, and a cut must not leave half a character.
std::string oscText(std::string_view given) {
    std::string text = validUtf8(given);
    std::erase(text, '\0');
    if (text.size() > maxText) {
        std::size_t end = maxText;
        const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80u; };
        while (end > 0 && continues(text[end])) --end;
        text.resize(end);
    }
    return padded(std::move(text));
}

} // namespace

std::string oscMessage(const TimedEvent& event, std::string_view instance) {
    return padded("/earshot/event") + padded(",sfffsifif") + oscText(labelWithChannel(event)) +
           real(event.onset) + real(event.offset) + real(certainty(event)) + oscText(instance) +
           exactTime(event.onset) + exactTime(event.offset);
}

} // namespace earshot::formats
