// Comma-separated values as RFC 4180 has them, and as spreadsheets write them: quoted fields that may hold
// commas, quotes ("") and line ends, LF or CRLF, a byte order mark. Empty lines and lines that begin with '#'
// are skipped. Pure functions: any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace earshot {

using CsvRow = std::vector<std::string>;

// Never fails: a quote that is not closed reaches to the end of the text.
std::vector<CsvRow> parseCsv(std::string_view text);

struct CsvLine {
    int line = 1; // in which the row begins, for messages; the text's first line is 1
    CsvRow fields;
};
std::vector<CsvLine> parseCsvLines(std::string_view text);

} // namespace earshot
