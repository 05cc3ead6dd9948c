#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace earshot {

namespace {

struct Range {
    char32_t first;
    char32_t last;
};

// Default_Ignorable_Code_Point, the separators of lines and paragraphs, and the anchors of annotations.
constexpr std::array invisible = {
    Range{0x00ad, 0x00ad},   Range{0x034f, 0x034f}, Range{0x061c, 0x061c},   Range{0x115f, 0x1160},
    Range{0x17b4, 0x17b5},   Range{0x180b, 0x180f}, Range{0x200b, 0x200f},   Range{0x2028, 0x202e},
    Range{0x2060, 0x206f},   Range{0x3164, 0x3164}, Range{0xfe00, 0xfe0f},   Range{0xfeff, 0xfeff},
    Range{0xffa0, 0xffa0},   Range{0xfff0, 0xfffb}, Range{0x1bca0, 0x1bca3}, Range{0x1d173, 0x1d17a},
    Range{0xe0000, 0xe0fff},
};

constexpr char32_t nonJoiner = 0x200c;
constexpr char32_t joiner = 0x200d;
constexpr char32_t asText = 0xfe0e; // variation selectors of emoji
constexpr char32_t asEmoji = 0xfe0f;

// How the bytes of a well-formed character go on.
struct Lead {
    std::size_t bytes;            // 0: none begins so
    std::uint8_t lowest, highest; // of the second byte
    char32_t bits;                // of the code
};

Lead leadOf(std::uint8_t byte) {
    if (byte < 0x80) return {1, 0, 0, byte};
    if (byte < 0xc2 || byte > 0xf4) return {0, 0, 0, 0};
    if (byte < 0xe0) return {2, 0x80, 0xbf, byte & 0x1fu};
    const std::uint8_t lowest = byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80;
    const std::uint8_t highest = byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf;
    if (byte < 0xf0) return {3, lowest, highest, byte & 0x0fu};
    return {4, lowest, highest, byte & 0x07u};
}

bool isPlain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

bool belongsThere(char32_t code, char32_t before, char32_t after) {
    const auto joins = [](char32_t neighbour) { return neighbour >= 0x0600 && !isInvisible(neighbour); };
    if (code == nonJoiner || code == joiner) return (joins(before) || before == asEmoji) && joins(after);
    return (code == asText || code == asEmoji) && before >= 0x2000 && !isInvisible(before);
}

} // namespace

Utf8Character firstCharacter(std::string_view text) {
    const auto [bytes, lowest, highest, bits] = leadOf(static_cast<std::uint8_t>(text.front()));
    if (bytes == 0) return {};
    char32_t code = bits;
    for (std::size_t i = 1; i < bytes; ++i) {
        const auto byte = i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
        if (byte < (i == 1 ? lowest : 0x80) || byte > (i == 1 ? highest : 0xbf))
            return {.bytes = i, .code = {}};
        code = code << 6 | (byte & 0x3fu);
    }
    return {.bytes = bytes, .code = code};
}

std::string validUtf8(std::string_view text) {
    if (isPlain(text)) return std::string(text);
    std::string valid;
    while (!text.empty()) {
        const auto [bytes, code] = firstCharacter(text);
        valid += code ? text.substr(0, bytes) : replacementCharacter;
        text.remove_prefix(bytes);
    }
    return valid;
}

bool isControl(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

bool isInvisible(char32_t code) {
    return std::ranges::any_of(invisible,
                               [code](Range range) { return code >= range.first && code <= range.last; });
}

std::string visibleText(std::string_view text, std::string_view broken, std::size_t most) {
    std::string shown;
    char32_t before = 0; // the last character that stayed
    while (!text.empty() && shown.size() < most) {
        const auto [bytes, code] = firstCharacter(text);
        const std::string_view character = text.substr(0, bytes);
        text.remove_prefix(bytes);
        const char32_t after = text.empty() ? 0 : firstCharacter(text).code.value_or(0);
        if (!code) {
            for (std::size_t i = 0; i < bytes; ++i) shown += broken;
        } else if (isControl(*code)) {
            shown.append(bytes, '?');
        } else if (isInvisible(*code) && !belongsThere(*code, before, after)) {
            shown += fmt::format("<U+{:04X}>", static_cast<std::uint32_t>(*code));
        } else {
            shown += character;
            before = *code;
            continue;
        }
        before = 0;
    }
    return shown;
}

} // namespace earshot
