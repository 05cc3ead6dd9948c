// Comma-separated values as RFC 4180 has them, and as spreadsheets write them: quoted fields that may hold
// commas, quotes ("") and line ends, LF or CRLF, a byte order mark. Empty lines and lines that begin with '#'
// are skipped. Pure functions: any thread.
//
// A spreadsheet runs cells that begin as a formula does: with = + - @ (also their full-width forms), a tab or
// a line end, perhaps behind spaces and quotes, and more text behind. Such text is written with an apostrophe
// before it, and read without: '=1 for =1, and ''=1 for '=1. All other text, a lone - too, is written as it
// is. Reference: https://owasp.org/www-community/attacks/CSV_Injection
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace earshot {

using CsvRow = std::vector<std::string>;

// Of UTF-8, in quotes where it needs them, for spreadsheets as above; parseCsv() reads it back. Bytes that
// are no UTF-8 become U+FFFD.
std::string csvField(std::string_view text);

// The cell's text alone, for tables that RFC 4180 does not rule.
std::string spreadsheetText(std::string_view text);

// Never fails: a quote that is not closed reaches to the end of the text.
std::vector<CsvRow> parseCsv(std::string_view text);

struct CsvLine {
    int line = 1; // in which the row begins, for messages; the text's first line is 1
    CsvRow fields;
};
std::vector<CsvLine> parseCsvLines(std::string_view text);

} // namespace earshot
