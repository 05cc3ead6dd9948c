// Text in UTF-8, character by character (utf8proc). It handles bytes that are not UTF-8 and characters that
// nobody would see. Pure functions: any thread. Reference: The Unicode Standard 15, table 3-7 (well-formed
// sequences), DerivedCoreProperties.txt.
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
    std::optional<char32_t> code; // none if the bytes are not UTF-8
};

// Removes the first character of `text`, which is not empty. Bytes that are not UTF-8 count as one character
// as long as they are the beginning of a well-formed one.
Utf8Character takeCharacter(std::string_view& text);

// Whether the byte continues a character that began before it.
bool continuesCharacter(char byte);

// Replaces bytes that are not UTF-8 by U+FFFD, one for each such character, as in JSON (Formats/Fields.h).
std::string validUtf8(std::string_view text);

// The text with composed characters, "é" as one (Unicode's NFC). File systems and programs of a Mac write
// them decomposed, others composed. Text that is not UTF-8 stays as it is. ASCII costs a look at each byte.
std::string composed(std::string_view text);

// Columns on a terminal: 2 for ideographs and emoji, 0 for combining marks.
std::size_t displayWidth(std::string_view text);
// Filled with spaces to at least `width` columns.
std::string padded(std::string_view utf8, std::size_t width);

// Whether it is a control character: U+0000 to U+001F or U+007F to U+009F.
bool isControl(char32_t code);
// Whether it is invisible: marks that turn the direction of writing, U+2028 and U+2029, zero-width
// characters, fillers, variation selectors, tags.
bool isInvisible(char32_t code);

// The text as one visible line. Control characters become '?', invisible ones "<U+202E>", and each byte that
// is not UTF-8 `broken`. U+200C and U+200D stay between characters from U+0600 on, where they part and join
// letters and emoji; U+FE0E and U+FE0F stay after characters from U+2000 on. The function applied to its
// result changes nothing. It stops when the result has `most` bytes.
std::string visibleText(std::string_view text, std::string_view broken,
                        std::size_t most = std::string_view::npos);
// The same for results: bytes that are not UTF-8 become U+FFFD.
std::string displayText(std::string_view text);

// Text from outside (tensor names, paths, class names) for a one-line message, by visibleText(). Pure
// functions: any thread.

// Bytes that are not UTF-8 become '?'. Text that is too long for a message ends in "...".
std::string printable(std::string_view text);
// The whole path as UTF-8, in the same way.
std::string displayName(const std::filesystem::path& file);

// Text that is safe between the tags of XML, HTML or WebVTT.
enum class Quotes { kept, escaped };
std::string markupText(std::string_view text, Quotes quotes = Quotes::kept);

// The library's name and version, as "utf8proc 2.8.0".
std::string unicodeLibrary();

} // namespace earshot
