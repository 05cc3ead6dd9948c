#include "Core/Base/Printable.h"

#include <cstdint>

namespace earshot {

namespace {

std::uint8_t byteAt(std::string_view text, std::size_t position) {
    return position < text.size() ? static_cast<std::uint8_t>(text[position]) : std::uint8_t{0};
}

// Bytes of the printable character at `position`, or 0 when there is a control character or no UTF-8.
std::size_t characterLength(std::string_view text, std::size_t position) {
    const std::uint8_t first = byteAt(text, position);
    if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byteAt(text, position + i) & 0xc0u) != 0x80u) return 0;
    // Longer than needed, a surrogate, beyond Unicode, or a control character (U+0080 to U+009F).
    const std::uint8_t second = byteAt(text, position + 1);
    const bool isRefused = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                           (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f) ||
                           (first == 0xc2 && second < 0xa0);
    return isRefused ? 0 : length;
}

std::string sanitised(std::string_view text, std::size_t longest) {
    std::string result;
    for (std::size_t position = 0; position < text.size();) {
        if (result.size() >= longest) return result + "...";
        const std::size_t length = characterLength(text, position);
        result += length == 0 ? std::string_view("?") : text.substr(position, length);
        position += length == 0 ? 1 : length;
    }
    return result;
}

} // namespace

std::string printable(std::string_view text) {
    constexpr std::size_t longest = 200; // bytes
    return sanitised(text, longest);
}

std::string displayName(const std::filesystem::path& file) {
    const auto utf8 = file.u8string();
    return sanitised({reinterpret_cast<const char*>(utf8.data()), utf8.size()}, utf8.size());
}

} // namespace earshot
