// Comma-separated values according to RFC 4180, and as spreadsheets write them. A field in quotes may hold
// commas, quotes ("") and line ends. Lines end with LF or CRLF. A byte order mark, empty lines and lines that
// begin with '#' are skipped. Pure functions: any thread.
//
// A spreadsheet runs a cell whose text begins like a formula: with = + - @ (or their full-width forms), a tab
// or a line end, perhaps behind spaces and quotes, and with more text behind. Such text is written with an
// apostrophe before it, and read without: '=1 for =1, and ''=1 for '=1. Other text, also a single -, is
// written unchanged. Reference: https://owasp.org/www-community/attacks/CSV_Injection
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace earshot {

using CsvRow = std::vector<std::string>;

// The text as a CSV field in UTF-8, in quotes where needed, safe for spreadsheets as described above.
// parseCsv() reads it back. Bytes that are not UTF-8 become U+FFFD.
std::string csvField(std::string_view text);

// The same without quotes, for tables with other rules than RFC 4180's.
std::string spreadsheetText(std::string_view text);

// Never fails: an unclosed quote reaches to the end of the text.
std::vector<CsvRow> parseCsv(std::string_view text);

struct CsvLine {
    int line = 1; // the line in which the row begins, for messages; the first line is 1
    CsvRow fields;
};
std::vector<CsvLine> parseCsvLines(std::string_view text);

} // namespace earshot
