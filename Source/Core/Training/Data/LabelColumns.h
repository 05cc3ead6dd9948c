// What the columns and fields of a table of labels mean, whatever program wrote it (LabelTable.h). Pure
// functions: any thread.
#pragma once

#include "Core/Base/Csv.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::training {

// When a sound is heard, in seconds, or why that cannot be said.
struct TimeSpan {
    double onset = 0.0;
    double offset = 0.0;
    std::string problem; // empty: the times can be used
    // It has times but no length, as marks of a moment (label tracks of Audacity) have; that is its problem.
    bool isMoment = false;
};
// An onset up to half a second before the file's start, as rounding and drawn boxes have it, is 0.
TimeSpan parseSpan(std::string_view onset, std::string_view offset);

// The places of a table's columns, by Earshot's names for them in lower case: "file", "onset", "offset",
// "length" (in place of an offset), "label" and those of DataSet.h, and by their own. Of two columns of one
// name the first counts, and of two for one meaning the one that is named first in the list of names.
using Columns = std::map<std::string, std::size_t, std::less<>>;
Columns columnsOf(const CsvRow& header);
// A column's own name there: "MANUAL ID*" is "manual id".
std::string columnName(std::string_view text);
// The names of columns of labels, the better ones first.
std::span<const std::string_view> labelColumns();
// For messages: which columns a table needs.
inline constexpr const char* wantedColumns =
    "its first line must name its columns: file,label or file,onset,offset,label, or those of Raven, "
    "Kaleidoscope or DCASE (label tracks of Audacity have none)";

// Throws earshot::Error, naming the file, for text in UTF-16 and for bytes of other files.
void requireTableText(std::string_view text, const std::filesystem::path& file);
// The message for CsvLine::openQuote.
std::string openQuoteMessage(const std::filesystem::path& file, int line);

// "dog;cat": the labels of a row, each as it may be shown, composed (Base/Unicode.h).
std::vector<std::string> parseLabels(std::string_view text);

// Without blanks at both ends.
std::string_view trimmed(std::string_view text);
// In lower case; ASCII only.
std::string lowerCase(std::string_view text);

} // namespace earshot::training
