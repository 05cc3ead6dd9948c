// The rows of a table of labels, before its columns have a meaning (LabelTable.h). Pure functions: any
// thread.
#pragma once

#include "Core/Base/Csv.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace earshot::training {

struct LabelRows {
    CsvRow header; // the names of the columns; of tables without such a line, Earshot's names
    std::vector<CsvLine> rows;
    const char* unit = "line"; // what CsvLine::line counts: lines, or the objects of a list
    bool tabs = false;         // parted by tabs
};

// text: fields with commas, semicolons or tabs between them, or JSON: a list of objects or an object a line.
// Lines of frequencies in Audacity's label tracks are left out. Throws earshot::Error, naming `file`, for
// text that is no such table, has no row at all, or has a quotation mark that is never closed.
LabelRows readLabelRows(std::string_view text, const std::filesystem::path& file);

} // namespace earshot::training
