// Text in UTF-8, character by character (utf8proc): what is no UTF-8, and what nobody would see. Pure
// functions: any thread. Reference: The Unicode Standard 15, table 3-7 (well-formed sequences),
// DerivedCoreProperties.txt.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace earshot {

inline constexpr std::string_view replacementCharacter = "\xef\xbf\xbd"; // U+FFFD

struct Utf8Character {
    std::string_view bytes;
    std::optional<char32_t> code; // none where the bytes are no UTF-8
};

// Takes the first character off `text`, which is not empty. Bytes that are no UTF-8 are one character as far
// as they begin a well-formed one.
Utf8Character takeCharacter(std::string_view& text);

// Whether a character that began before the byte goes on there.
bool continuesCharacter(char byte);

// Bytes that are no UTF-8 become U+FFFD, one for each such character, as in JSON (Formats/Fields.h).
std::string validUtf8(std::string_view text);

// Columns that it takes on a terminal: 2 for ideographs and emoji, none for marks upon others.
std::size_t displayWidth(std::string_view text);

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

// Text from outside (tensor names, file paths, class names) made fit for a one-line message: visibleText() in
// Unicode.h says what becomes of what nobody would see ("<U+202E>"). Pure functions: any thread.

// What is no UTF-8 becomes '?'; what is longer than a message bears is cut with "...".
std::string printable(std::string_view text);
// The whole path as UTF-8, likewise.
std::string displayName(const std::filesystem::path& file);

// As text between the tags of XML, HTML or WebVTT.
enum class Quotes { kept, escaped };
std::string markupText(std::string_view text, Quotes quotes = Quotes::kept);

} // namespace earshot
