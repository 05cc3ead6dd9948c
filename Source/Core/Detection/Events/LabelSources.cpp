#include "Core/Detection/Events/LabelSources.h"

#include "Core/Base/Csv.h"
#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Base/RegularFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <initializer_list>

namespace earshot::detection {

namespace {

constexpr char audioSetCsv[] =
#include "AudioSetClasses.inc"
    ;

void requireCount(std::size_t found, int classes, const std::string& file) {
    if (found != static_cast<std::size_t>(classes))
        throw Error(fmt::format("{}: expected {} labels, found {}", file, classes, found));
}

std::optional<std::size_t> findColumn(const CsvRow& header, std::initializer_list<std::string_view> names) {
    for (const auto name : names)
        if (const auto found = std::find(header.begin(), header.end(), name); found != header.end())
            return static_cast<std::size_t>(found - header.begin());
    return std::nullopt;
}

// The class a row belongs to: each index must appear once.
std::size_t classOfRow(const std::string& text, const std::vector<std::string>& labels,
                       const std::string& file) {
    std::size_t index = labels.size();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size() || index >= labels.size())
        throw Error(fmt::format("{}: expected an index from 0 to {}, found \"{}\"", file, labels.size() - 1,
                                printable(text)));
    if (!labels[index].empty()) throw Error(fmt::format("{}: index {} appears twice", file, index));
    return index;
}

} // namespace

std::vector<std::string> labelsFromJson(const std::string& text, const std::string& file, int classes) {
    const auto array = nlohmann::json::parse(text, nullptr, false);
    const auto isText = [](const nlohmann::json& item) { return item.is_string(); };
    if (!array.is_array() || !std::all_of(array.begin(), array.end(), isText))
        throw Error(fmt::format("{}: earshot.labels is not a JSON array of strings", file));
    requireCount(array.size(), classes, file);
    std::vector<std::string> labels;
    for (const auto& item : array) labels.push_back(printable(item.get_ref<const std::string&>()));
    return labels;
}

std::vector<std::string> labelsFromCsv(std::string_view csv, const std::string& file, int classes) {
    const auto rows = parseCsv(csv);
    const auto nameColumn =
        rows.empty() ? std::nullopt : findColumn(rows.front(), {"display_name", "label", "name"});
    if (!nameColumn)
        throw Error(
            fmt::format("{}: expected a first line that names a column display_name, label or name", file));
    const auto indexColumn = findColumn(rows.front(), {"index"});
    requireCount(rows.size() - 1, classes, file);
    std::vector<std::string> labels(rows.size() - 1);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto& row = rows[i + 1];
        if (row.size() <= std::max(*nameColumn, indexColumn.value_or(0)) || row[*nameColumn].empty())
            throw Error(fmt::format("{}: row {} has no label", file, i + 1));
        const std::size_t index = indexColumn ? classOfRow(row[*indexColumn], labels, file) : i;
        labels[index] = printable(row[*nameColumn]);
    }
    return labels;
}

std::optional<std::filesystem::path> labelFileBeside(const std::filesystem::path& modelFile) {
    auto own = modelFile;
    auto ownLabels = modelFile;
    for (const auto& candidate : {own.replace_extension(".csv"), ownLabels.replace_extension(".labels.csv"),
                                  modelFile.parent_path() / "labels.csv"}) {
        std::error_code absent;
        if (std::filesystem::is_regular_file(candidate, absent)) return candidate;
    }
    return std::nullopt;
}

std::vector<std::string> labelsFromFile(const std::filesystem::path& csvFile, int classes) {
    // AudioSet's list takes 15 kB; 65,536 classes have room. As short rows it costs fifty times as much.
    constexpr std::uint64_t largest = 4u << 20; // bytes
    return labelsFromCsv(readWholeFile(csvFile, largest, "list of labels"), displayName(csvFile), classes);
}

std::vector<std::string> audioSetLabels() { return labelsFromCsv(audioSetCsv, "AudioSet", audioSetClasses); }

} // namespace earshot::detection
