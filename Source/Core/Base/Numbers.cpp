#include "Core/Base/Numbers.h"

#include <cmath>
#include <locale>
#include <sstream>
#include <string>

namespace earshot {

// Not by std::from_chars(), which libc++ has for whole numbers alone until version 20.
std::optional<double> parseNumber(std::string_view text) {
    std::istringstream stream{std::string(text)};
    stream.imbue(std::locale::classic());
    double value = 0.0;
    stream >> std::noskipws >> value;
    if (stream.fail() || stream.peek() != std::istringstream::traits_type::eof() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

} // namespace earshot
