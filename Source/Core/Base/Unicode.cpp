#include "Core/Base/Unicode.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

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

std::optional<char32_t> decode(std::string_view text, std::size_t& bytes) {
    utf8proc_int32_t code = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                         static_cast<utf8proc_ssize_t>(text.size()), &code);
    if (length <= 0) return std::nullopt;
    bytes = static_cast<std::size_t>(length);
    return static_cast<char32_t>(code);
}

// The bytes that are not UTF-8, as many as the beginning of some character has.
std::size_t brokenBytes(std::string_view text) {
    const std::size_t whole =
        static_cast<std::uint8_t>(utf8proc_utf8class[static_cast<unsigned char>(text[0])]);
    for (std::size_t count = std::min(text.size(), std::max<std::size_t>(whole, 1) - 1); count > 1; --count) {
        std::string completed(text.substr(0, count));
        completed.resize(whole, '\x80');
        std::size_t bytes = 0;
        if (decode(completed, bytes)) return count;
    }
    return 1;
}

bool isPlain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

bool belongsThere(char32_t code, char32_t before, char32_t after) {
    const auto joins = [](char32_t neighbour) { return neighbour >= 0x0600 && !isInvisible(neighbour); };
    if (code == nonJoiner || code == joiner) return (joins(before) || before == asEmoji) && joins(after);
    return (code == asText || code == asEmoji) && before >= 0x2000 && !isInvisible(before);
}

constexpr std::string_view broken = "?";

// Cuts between characters.
std::string shortened(std::string text, std::size_t longest) {
    std::size_t end = longest;
    while (end < text.size() && continuesCharacter(text[end])) ++end;
    return end < text.size() ? text.substr(0, end) + "..." : text;
}

} // namespace

Utf8Character takeCharacter(std::string_view& text) {
    std::size_t bytes = 0;
    const auto code = decode(text, bytes);
    if (!code) bytes = brokenBytes(text);
    const Utf8Character character{text.substr(0, bytes), code};
    text.remove_prefix(bytes);
    return character;
}

bool continuesCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80u; }

std::string validUtf8(std::string_view text) {
    if (isPlain(text)) return std::string(text);
    std::string valid;
    while (!text.empty()) {
        const auto [bytes, code] = takeCharacter(text);
        valid += code ? bytes : replacementCharacter;
    }
    return valid;
}

std::string composed(std::string_view text) {
    std::string result(text);
    if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return result;
    utf8proc_uint8_t* mapped = nullptr;
    const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                     static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                                     static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
    if (length >= 0) result.assign(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length));
    return result;
}

std::size_t displayWidth(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty())
        columns += static_cast<std::size_t>(
            utf8proc_charwidth(static_cast<utf8proc_int32_t>(takeCharacter(text).code.value_or(0xfffd))));
    return columns;
}

std::string padded(std::string_view utf8, std::size_t width) {
    const std::size_t used = displayWidth(utf8);
    return std::string(utf8) + std::string(width > used ? width - used : 0, ' ');
}

bool isControl(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

bool isInvisible(char32_t code) {
    return std::ranges::any_of(invisible,
                               [code](Range range) { return code >= range.first && code <= range.last; });
}

std::string visibleText(std::string_view text, std::string_view broken, std::size_t most) {
    std::string shown;
    char32_t before = 0; // the last character that was copied
    while (!text.empty() && shown.size() < most) {
        const auto [bytes, code] = takeCharacter(text);
        std::string_view rest = text;
        const char32_t after = rest.empty() ? 0 : takeCharacter(rest).code.value_or(0);
        if (!code) {
            for (std::size_t i = 0; i < bytes.size(); ++i) shown += broken;
        } else if (isControl(*code)) {
            shown.append(bytes.size(), '?');
        } else if (isInvisible(*code) && !belongsThere(*code, before, after)) {
            shown += fmt::format("<U+{:04X}>", static_cast<std::uint32_t>(*code));
        } else {
            shown += bytes;
            before = *code;
            continue;
        }
        before = 0;
    }
    return shown;
}

std::string displayText(std::string_view text) { return visibleText(text, replacementCharacter); }

std::string printable(std::string_view text) {
    constexpr std::size_t longest = 200; // bytes
    constexpr std::size_t oneMore = 4;   // the most bytes of one character
    return shortened(visibleText(text, broken, longest + oneMore), longest);
}

std::string displayName(const std::filesystem::path& file) {
    const auto utf8 = file.u8string();
    return visibleText({reinterpret_cast<const char*>(utf8.data()), utf8.size()}, broken);
}

std::string markupText(std::string_view text, Quotes quotes) {
    std::string escaped;
    for (const char c : text) {
        if (c == '&')
            escaped += "&amp;";
        else if (c == '<')
            escaped += "&lt;";
        else if (c == '>')
            escaped += "&gt;";
        else if (c == '"' && quotes == Quotes::escaped)
            escaped += "&quot;";
        else
            escaped += c;
    }
    return escaped;
}

std::string unicodeLibrary() { return std::string("utf8proc ") + utf8proc_version(); }

} // namespace earshot
