#include "Core/Pictures/SvgText.h"

#include "Core/Base/Printable.h"

#include <cstddef>
#include <vector>

namespace earshot::pictures {

namespace {

constexpr std::string_view ellipsis = "\xe2\x80\xa6";

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80u; }

std::vector<std::string_view> characters(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        while (end < text.size() && continues(text[end])) ++end;
        parts.push_back(text.substr(at, end - at));
        at = end;
    }
    return parts;
}

// Of an em.
double characterWidth(std::string_view character) {
    if (character == ellipsis) return 0.85;
    // Three bytes from U+1100 on and four bytes: mostly ideographs, Hangul and emoji.
    if (character.size() > 1) return static_cast<unsigned char>(character[0]) >= 0xe2u ? 1.05 : 0.66;
    const char c = character[0];
    constexpr std::string_view narrow = "iIjl.,:;'|!`", slim = "frt()[]{}-/\\\" ", wide = "mwMW@%";
    if (narrow.find(c) != std::string_view::npos) return 0.29;
    if (slim.find(c) != std::string_view::npos) return 0.4;
    if (wide.find(c) != std::string_view::npos) return 0.92;
    return c >= 'A' && c <= 'Z' ? 0.71 : 0.62;
}

double widthOf(const std::vector<std::string_view>& parts, const Type& type) {
    double ems = 0.0;
    for (const auto part : parts) ems += characterWidth(part);
    return ems * type.size * (type.bold ? 1.05 : 1.0);
}

template <typename Drop>
std::string cut(std::string_view text, const Type& type, double width, Drop&& dropAt) {
    auto parts = characters(text);
    if (widthOf(parts, type) <= width) return std::string(text);
    std::size_t gap = dropAt(parts.size());
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(gap), ellipsis);
    while (parts.size() > 1 && widthOf(parts, type) > width) {
        // Before the gap while at least as much stands there as behind it.
        const std::size_t before = gap, behind = parts.size() - gap - 1;
        const bool fromFront = behind == 0 || before > behind;
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(fromFront ? --gap : gap + 1));
    }
    while (gap > 0 && parts[gap - 1] == " ") parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(--gap));
    std::string result;
    for (const auto part : parts) result += part;
    return result;
}

} // namespace

std::string escaped(std::string_view text) {
    std::string out;
    for (const auto part : characters(text)) {
        const bool isMark = part.size() == 3 && part.substr(0, 2) == "\xef\xbf"; // U+FFFE, U+FFFF
        const auto control = static_cast<unsigned char>(part[0]);
        if (part == "&")
            out += "&amp;";
        else if (part == "<")
            out += "&lt;";
        else if (part == ">")
            out += "&gt;";
        else if (part == "\"")
            out += "&quot;";
        else if (control < 0x20 || (isMark && static_cast<unsigned char>(part[2]) >= 0xbeu))
            out += '?';
        else
            out += part;
    }
    return out;
}

double textWidth(std::string_view text, const Type& type) { return widthOf(characters(text), type); }

std::string cutAtEnd(std::string_view text, const Type& type, double width) {
    return cut(text, type, width, [](std::size_t count) { return count; });
}

std::string cutInside(std::string_view text, const Type& type, double width) {
    return cut(text, type, width, [](std::size_t count) { return count / 2; });
}

} // namespace earshot::pictures
