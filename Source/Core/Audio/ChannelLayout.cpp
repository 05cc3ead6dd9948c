#include "Core/Audio/ChannelLayout.h"

#include "Core/Audio/Containers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace earshot::audio {

namespace {

using Number = std::uint32_t;

// What a header says of channels: that they are ambisonic, or which is for low-frequency effects.
struct Said {
    bool ambisonic = false;
    std::optional<std::size_t> effects;
};

Number littleEndianAt(std::string_view bytes, std::size_t at) {
    Number value = 0;
    for (std::size_t i = 4; i > 0; --i) value = (value << 8) | static_cast<unsigned char>(bytes[at + i - 1]);
    return value;
}

Number bigEndianAt(std::string_view bytes, std::size_t at) {
    Number value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = (value << 8) | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

// The channels of a mask lie in the order of its bits, of which the fourth is LFE. CAF has the same bits.
std::optional<std::size_t> effectsIn(Number mask) {
    constexpr Number effects = 1u << 3;
    if ((mask & effects) == 0) return std::nullopt;
    return static_cast<std::size_t>(std::popcount(mask & (effects - 1)));
}

// WAVE_FORMAT_EXTENSIBLE: a mask of speakers, or the subformat AMBISONIC_B_FORMAT in PCM or float
// (http://dream.cs.bath.ac.uk/researchdev/wave-ex/bformat.html). RIFF files have the format in "fmt ", W64
// files in a chunk whose name begins so.
Said wavLayout(std::string_view format) {
    constexpr std::size_t maskAt = 20, guidAt = 24, guidBytes = 16;
    constexpr std::string_view bFormat("\x00\x00\x21\x07\xd3\x11\x86\x44\xc8\xc1\xca\x00\x00\x00", 14);
    if (format.size() < guidAt + guidBytes || !format.starts_with("\xfe\xff")) return {};
    const std::string_view guid = format.substr(guidAt, guidBytes);
    if (guid.substr(2) == bFormat) return {.ambisonic = true, .effects = {}};
    return {.ambisonic = false, .effects = effectsIn(littleEndianAt(format, maskAt))};
}

std::string wavFormat(InputFile& input) {
    constexpr std::size_t formatBytes = 40;
    if (const auto chunk = findWavChunk(input, "fmt ")) return bytesAt(input, chunk->begin, formatBytes);
    constexpr std::size_t wide = 40, wideHeader = 24; // W64: the file's header and a chunk's
    const std::string head = bytesAt(input, 0, wide + wideHeader + formatBytes);
    if (!head.starts_with("riff") || head.size() < wide + wideHeader || head.compare(wide, 4, "fmt ") != 0)
        return {};
    return head.substr(wide + wideHeader);
}

// CAF's "chan": a layout with a number of its own, a mask, or a label for each channel (Apple's
// CoreAudioBaseTypes.h).
Said cafLayout(std::string_view chunk) {
    constexpr std::size_t labelsAt = 12, labelBytes = 20;
    constexpr Number byLabels = 0, byMask = 0x10000;
    constexpr Number ambisonicB = 107, ambisonicSn3d = 190, ambisonicN3d = 191;
    constexpr std::array labelsOfW = {Number{200}, Number{2u << 16}}; // of B-format, and of AmbiX
    constexpr std::array labelsOfEffects = {Number{4}, Number{37}};
    struct Surround {
        Number layout;
        std::size_t effects;
    };
    constexpr std::array surrounds = {Surround{121, 3}, Surround{122, 5}, Surround{123, 5}, Surround{124, 5},
                                      Surround{125, 5}, Surround{126, 3}, Surround{127, 7}, Surround{128, 3}};
    if (chunk.size() < labelsAt) return {};
    const Number tag = bigEndianAt(chunk, 0), layout = tag >> 16;
    if (tag == byMask) return {.ambisonic = false, .effects = effectsIn(bigEndianAt(chunk, 4))};
    if (layout == ambisonicB || layout == ambisonicSn3d || layout == ambisonicN3d)
        return {.ambisonic = true, .effects = {}};
    if (tag == byLabels) {
        Said said;
        for (std::size_t at = labelsAt; at + labelBytes <= chunk.size(); at += labelBytes) {
            const Number label = bigEndianAt(chunk, at);
            const std::size_t channel = (at - labelsAt) / labelBytes;
            if (channel == 0 && std::ranges::count(labelsOfW, label) > 0) said.ambisonic = true;
            if (!said.effects && std::ranges::count(labelsOfEffects, label) > 0) said.effects = channel;
        }
        return said;
    }
    for (const Surround& each : surrounds)
        if (each.layout == layout) return {.ambisonic = false, .effects = each.effects};
    return {};
}

Said cafLayout(InputFile& input) {
    constexpr std::size_t headerBytes = 12, maxChunkBytes = 1 << 16;
    std::int64_t at = 8;
    for (int chunks = 0; chunks < 1000; ++chunks) {
        const std::string header = bytesAt(input, at, headerBytes);
        if (header.size() < headerBytes) return {};
        const std::int64_t bytes = bigEndianAt(header, 8);
        if (header.starts_with("chan"))
            return cafLayout(bytesAt(input, at + std::int64_t{headerBytes},
                                     std::min(static_cast<std::size_t>(bytes), maxChunkBytes)));
        if (bigEndianAt(header, 4) != 0) return {}; // 4 GiB, or audio of unknown length: the last chunk
        at += std::int64_t{headerBytes} + bytes;
    }
    return {};
}

// Opus's mapping families 2 and 3 are ambisonic (RFC 8486).
Said oggLayout(InputFile& input) {
    constexpr std::size_t familyAt = 18;
    const std::string page = bytesAt(input, 0, 256);
    const auto head = page.find("OpusHead");
    if (head == std::string::npos || page.size() <= head + familyAt) return {};
    const char family = page[head + familyAt];
    return {.ambisonic = family == 2 || family == 3, .effects = {}};
}

// FLAC and Vorbis have an order of 5.1 that any six tracks would be in: without a mask none of them is LFE.
Said headerLayout(InputFile& input) {
    const std::string head = bytesAt(input, 0, 4);
    if (head == "caff") return cafLayout(input);
    return head == "OggS" ? oggLayout(input) : wavLayout(wavFormat(input));
}

std::string lowerName(const InputFile& input) {
    std::string name = input.name();
    name.erase(0, name.find_last_of("/\\") + 1);
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

bool isSquare(int channels) {
    const auto root = std::lround(std::sqrt(channels));
    return root >= 2 && root * root == channels;
}

} // namespace

ChannelLayout channelLayout(InputFile& input, int channels) {
    ChannelLayout layout;
    if (channels > 1) {
        const Said said = headerLayout(input);
        const std::string name = lowerName(input);
        const bool fuma = channels >= 3 && name.ends_with(".amb");
        layout.byName =
            !said.ambisonic && !fuma && isSquare(channels) && name.find("ambix") != std::string::npos;
        layout.ambisonic = said.ambisonic || fuma || layout.byName;
        if (layout.ambisonic) {
            layout.mixed = {0};
            return layout;
        }
        for (std::size_t i = 0; i < static_cast<std::size_t>(channels); ++i)
            if (said.effects != i) layout.mixed.push_back(i);
        return layout;
    }
    layout.mixed = {0};
    return layout;
}

} // namespace earshot::audio
