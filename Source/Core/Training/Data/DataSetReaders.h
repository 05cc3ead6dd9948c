// The contents of a folder or a CSV, before labels are numbered and splits are made (DataSet.h). Pure
// functions except for reading: any thread.
#pragma once

#include "Core/Base/Csv.h"
#include "Core/Training/Data/DataSet.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::training {

struct NamedSpan {
    double onset = 0.0;  // seconds
    double offset = 0.0; // seconds
    std::string label;
};

struct FoundClip {
    std::filesystem::path file;
    std::string where; // the name in messages
    ClipKind kind = ClipKind::sound;
    std::vector<std::string> labels; // sorted, each once
    std::vector<NamedSpan> spans;
    bool strong = false;
    std::optional<Split> split; // if the source names one
    std::string group;          // if the source names one, else the file's name in its source
    std::string licence, author, source;
};

// Append to `found` and `problems`, in the order of paths and rows. Throw earshot::Error when the source
// itself is unusable.
void readClassFolders(const std::filesystem::path& folder, std::vector<FoundClip>& found,
                      std::vector<Problem>& problems);
void readClipTable(const std::filesystem::path& csv, std::vector<FoundClip>& found,
                   std::vector<Problem>& problems);

// The places of a table's columns, by their names in lower case. Of two columns of one name the first counts.
// onset_s and offset_s, as `earshot analyze` writes them, are other names of onset and offset.
using Columns = std::map<std::string, std::size_t, std::less<>>;
Columns columnsOf(const CsvRow& header);

// "dog;cat": the labels of a row, each as it may be shown.
std::vector<std::string> parseLabels(std::string_view text);

// Without blanks at both ends.
std::string_view trimmed(std::string_view text);
// In lower case; ASCII only.
std::string lowerCase(std::string_view text);

} // namespace earshot::training
