// Text from outside (tensor names, file paths, class names) made fit for a one-line message: visibleText() in
// Unicode.h says what becomes of what nobody would see ("<U+202E>"). Pure functions: any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace earshot {

// What is no UTF-8 becomes '?'; what is longer than a message bears is cut with "...".
std::string printable(std::string_view text);
// The whole path as UTF-8, likewise.
std::string displayName(const std::filesystem::path& file);

// As text between the tags of XML, HTML or WebVTT.
enum class Quotes { kept, escaped };
std::string markupText(std::string_view text, Quotes quotes = Quotes::kept);

} // namespace earshot
