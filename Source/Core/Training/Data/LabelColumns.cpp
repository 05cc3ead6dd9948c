#include "Core/Training/Data/LabelColumns.h"

#include "Core/Base/Error.h"
#include "Core/Base/Numbers.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace earshot::training {

namespace {

using namespace std::string_view_literals;

// Other programs' names of a column, the better ones first.
struct Aliases {
    std::string_view name;
    std::span<const std::string_view> others;
};

constexpr std::array fileNames = {"filename"sv,   "file_name"sv,  "file name"sv,    "filepath"sv,
                                  "file_path"sv,  "audio_file"sv, "audio file"sv,   "audio_filename"sv,
                                  "fname"sv,      "recording"sv,  "notated_path"sv, "audio_path"sv,
                                  "begin path"sv, "begin file"sv, "in file"sv,      "path"sv};
constexpr std::array onsetNames = {"onset_s"sv,        "onset (s)"sv,  "onset_seconds"sv, "begin time (s)"sv,
                                   "start (s)"sv,      "start_s"sv,    "start_time"sv,    "start time"sv,
                                   "start time (s)"sv, "begin_time"sv, "begin time"sv,    "start_seconds"sv,
                                   "start"sv,          "begin"sv};
constexpr std::array offsetNames = {
    "offset_s"sv, "offset (s)"sv, "offset_seconds"sv, "end time (s)"sv, "end (s)"sv, "end_s"sv,
    "end_time"sv, "end time"sv,   "stop_time"sv,      "end_seconds"sv,  "end"sv,     "stop"sv};
constexpr std::array lengthNames = {"duration_s"sv, "duration (s)"sv, "delta time (s)"sv, "duration"sv,
                                    "length"sv};
constexpr std::array labelNames = {"event_label"sv,     "event_labels"sv,    "annotation"sv, "annotations"sv,
                                   "labels"sv,          "manual id"sv,       "species"sv,    "common name"sv,
                                   "common_name"sv,     "class"sv,           "class_name"sv, "category"sv,
                                   "sound type"sv,      "call type"sv,       "call_type"sv,  "type"sv,
                                   "event"sv,           "sound"sv,           "name"sv,       "species code"sv,
                                   "scientific name"sv, "scientific_name"sv, "auto id"sv,    "top1match"sv};
constexpr std::array aliases = {Aliases{"file", fileNames}, Aliases{"onset", onsetNames},
                                Aliases{"offset", offsetNames}, Aliases{"length", lengthNames},
                                Aliases{"label", labelNames}};

} // namespace

TimeSpan parseSpan(std::string_view onset, std::string_view offset) {
    constexpr double maxBeforeStart = 0.5; // seconds
    const auto from = parseSeconds(onset), to = parseSeconds(offset);
    if (!from || !to) return {0.0, 0.0, "onset and offset must be seconds, as 9.25, 9,25 or 1:09.25"};
    const double begin = *from < 0.0 && *from >= -maxBeforeStart ? 0.0 : *from;
    if (begin < 0.0 || *to < begin)
        return {
            0.0, 0.0,
            fmt::format("a sound from {} s to {} s begins before its file, or has no length", *from, *to)};
    if (*to == begin) return {begin, *to, fmt::format("a sound at {} s has no length", *from), true};
    return {begin, *to, {}};
}

std::string columnName(std::string_view text) {
    std::string name = lowerCase(trimmed(text));
    while (name.ends_with('*')) name.pop_back();
    return name;
}

std::span<const std::string_view> labelColumns() { return labelNames; }

Columns columnsOf(const CsvRow& header) {
    Columns columns;
    for (std::size_t i = 0; i < header.size(); ++i) columns.emplace(columnName(header[i]), i);
    for (const Aliases& each : aliases)
        for (const auto other : each.others)
            if (const auto found = columns.find(other); found != columns.end())
                columns.emplace(each.name, found->second);
    return columns;
}

void requireTableText(std::string_view text, const std::filesystem::path& file) {
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        throw Error(displayName(file) + ": is in UTF-16; save it as text in UTF-8 (in Excel: \"CSV UTF-8\")");
    if (text.find('\0') != std::string_view::npos)
        throw Error(displayName(file) + ": is no table of text; save it as CSV in UTF-8");
}

std::string openQuoteMessage(const std::filesystem::path& file, int line) {
    return fmt::format(
        "{}: line {}: a quotation mark is not closed where its field ends, and would take in the "
        "rows after it; close it, or write it twice (\"\") if it belongs to the text",
        displayName(file), line);
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::string lowerCase(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::vector<std::string> parseLabels(std::string_view text) {
    std::vector<std::string> labels;
    while (!text.empty()) {
        const auto end = std::min(text.find(';'), text.size());
        if (const auto label = trimmed(text.substr(0, end)); !label.empty())
            labels.push_back(printable(composed(label)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return labels;
}

} // namespace earshot::training
