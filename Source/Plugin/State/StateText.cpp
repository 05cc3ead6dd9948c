#include "Plugin/State/StateText.h"

#include <algorithm>
#include <cstddef>

namespace earshot::plugin {

namespace {

constexpr std::size_t maxDigits = 9;
constexpr std::size_t bitsOfCharacter = 6;

} // namespace

bool isStateText(std::string_view text) {
    text = text.substr(0, text.find('\0'));
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos || dot == 0 || dot > maxDigits) return false;
    std::size_t bytes = 0;
    for (const char digit : text.substr(0, dot)) {
        if (digit < '0' || digit > '9') return false;
        bytes = 10 * bytes + static_cast<std::size_t>(digit - '0');
    }
    return bytes * 8 <= (text.size() - dot - 1) * bitsOfCharacter;
}

} // namespace earshot::plugin
