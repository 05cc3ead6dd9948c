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
    // The line of a quotation mark that takes in the rows after it: it is never closed, or a mark of a later
    // line closes it, with text behind. 0: there is none.
    int openQuote = 0;
};
// separator: what stands between fields. With tabs, which programs write without quoting anything, a
// quotation mark is one only if it is closed at the end of its field, in the same line.
std::vector<CsvLine> parseCsvLines(std::string_view text, char separator = ',');

// The separator of a table by its first row: a tab if there is one outside of quotes, else the more frequent
// of commas and semicolons (spreadsheets write these where numbers have decimal commas). A line "sep=;"
// before it, which spreadsheets read and parseCsvLines() skips, decides.
char separatorOf(std::string_view text);

} // namespace earshot
