#include "Core/Base/Printable.h"

#include "Core/Base/Unicode.h"

namespace earshot {

namespace {

constexpr std::string_view broken = "?";

// Cut between characters.
std::string shortened(std::string text, std::size_t longest) {
    std::size_t end = longest;
    while (end < text.size() && continuesCharacter(text[end])) ++end;
    return end < text.size() ? text.substr(0, end) + "..." : text;
}

} // namespace

std::string printable(std::string_view text) {
    constexpr std::size_t longest = 200; // bytes
    constexpr std::size_t oneMore = 4;   // at most as long as a character
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

} // namespace earshot
