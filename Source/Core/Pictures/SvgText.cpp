#include "Core/Pictures/SvgText.h"

#include "Core/Base/Unicode.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace earshot::pictures {

namespace {

constexpr std::string_view ellipsis = "\xe2\x80\xa6";

std::vector<Utf8Character> characters(std::string_view text) {
    std::vector<Utf8Character> parts;
    while (!text.empty()) parts.push_back(takeCharacter(text));
    return parts;
}

// Of an em.
double characterWidth(const Utf8Character& character) {
    if (character.bytes == ellipsis) return 0.85;
    // Mostly ideographs, Hangul and emoji.
    if (character.bytes.size() > 1) return character.code.value_or(0) >= 0x2000 ? 1.05 : 0.66;
    const char c = character.bytes[0];
    constexpr std::string_view narrow = "iIjl.,:;'|!`", slim = "frt()[]{}-/\\\" ", wide = "mwM%",
                               widest = "W@";
    if (narrow.find(c) != std::string_view::npos) return 0.29;
    if (slim.find(c) != std::string_view::npos) return 0.4;
    if (wide.find(c) != std::string_view::npos) return 0.92;
    if (widest.find(c) != std::string_view::npos) return 1.06;
    return c >= 'A' && c <= 'Z' ? 0.71 : 0.62;
}

double widthOf(std::span<const Utf8Character> parts, const Type& type) {
    double ems = 0.0;
    for (const auto& part : parts) ems += characterWidth(part);
    return ems * type.size * (type.bold ? 1.05 : 1.0);
}

// What XML cannot hold, and what would turn the direction of the text around it: U+202A to U+202E, U+2066 to
// U+2069.
bool isRefused(std::optional<char32_t> code) {
    return !code || *code < 0x20 || *code == 0x7f || *code == 0xfffe || *code == 0xffff ||
           (*code >= 0x202a && *code <= 0x202e) || (*code >= 0x2066 && *code <= 0x2069);
}

// As much of the front, and where wanted of the back, as there is room for beside the ellipsis.
std::string cut(std::string_view text, const Type& type, double width, bool keepsBack) {
    const auto parts = characters(text);
    if (widthOf(parts, type) <= width) return std::string(text);
    double room = width - textWidth(ellipsis, type);
    std::size_t front = 0, back = parts.size();
    for (bool fromFront = true; front < back; fromFront = !fromFront || !keepsBack) {
        room -= widthOf(std::span(fromFront ? &parts[front] : &parts[back - 1], 1), type);
        if (room < 0.0) break;
        fromFront ? ++front : --back;
    }
    if (!keepsBack) back = parts.size();
    while (front > 0 && parts[front - 1].code == U' ') --front;
    std::string result;
    for (std::size_t i = 0; i < front; ++i) result += parts[i].bytes;
    result += ellipsis;
    for (std::size_t i = back; i < parts.size(); ++i) result += parts[i].bytes;
    return result;
}

} // namespace

std::string escaped(std::string_view text) {
    std::string out;
    for (const auto& [part, code] : characters(text)) {
        if (part == "&")
            out += "&amp;";
        else if (part == "<")
            out += "&lt;";
        else if (part == ">")
            out += "&gt;";
        else if (part == "\"")
            out += "&quot;";
        else if (isRefused(code))
            out += '?';
        else
            out += part;
    }
    return out;
}

double textWidth(std::string_view text, const Type& type) { return widthOf(characters(text), type); }

std::string cutAtEnd(std::string_view text, const Type& type, double width) {
    return cut(text, type, width, false);
}

std::string cutInside(std::string_view text, const Type& type, double width) {
    return cut(text, type, width, true);
}

} // namespace earshot::pictures
