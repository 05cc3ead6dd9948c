// Text in UTF-8, character by character: what is no UTF-8, and what nobody would see. Pure functions: any
// thread. Reference: The Unicode Standard 15, table 3-7 (well-formed sequences), DerivedCoreProperties.txt.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace earshot {

inline constexpr std::string_view replacementCharacter = "\xef\xbf\xbd"; // U+FFFD

struct Utf8Character {
    std::size_t bytes = 1;
    std::optional<char32_t> code; // none where the bytes are no UTF-8
};

// text: not empty. Bytes that are no UTF-8 are one character as far as they begin a well-formed one.
Utf8Character firstCharacter(std::string_view text);

// Bytes that are no UTF-8 become U+FFFD, one for each such character, as in JSON (Formats/Fields.h).
std::string validUtf8(std::string_view text);

// U+0000 to U+001F and U+007F to U+009F.
bool isControl(char32_t code);
// Takes no place of its own on a screen, or ends a line unseen: marks that turn the direction of writing,
// U+2028 and U+2029, zero-width characters, fillers, variation selectors, tags.
bool isInvisible(char32_t code);

// One line that shows all there is: bytes of control characters become '?', invisible characters
// "<U+202E>", and each byte that is no UTF-8 `broken`. U+200C and U+200D stay between characters from U+0600
// on, where they part and join letters and emoji; U+FE0E and U+FE0F stay after those from U+2000 on. Shown
// text stays as it is. Reads no further when the result has `most` bytes.
std::string visibleText(std::string_view text, std::string_view broken,
                        std::size_t most = std::string_view::npos);

} // namespace earshot
