#include "Core/Base/Csv.h"
#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Base/RegularFile.h"
#include "Core/Training/Data/DataSetReaders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <locale>
#include <map>
#include <sstream>
#include <utility>

namespace earshot::training {

namespace {

// AudioSet's two million clips take half.
constexpr std::uint64_t largestTable = 1u << 28; // bytes

std::optional<double> parseSeconds(std::string_view text) {
    std::istringstream stream{std::string(text)};
    stream.imbue(std::locale::classic());
    double value = 0.0;
    if (!(stream >> value) || !(stream >> std::ws).eof() || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::optional<Split> parseSplit(std::string_view text) {
    const std::string name = lowerCase(text);
    if (name.empty()) return std::nullopt;
    if (name == "train" || name == "training") return Split::train;
    if (name == "valid" || name == "val" || name == "validation") return Split::valid;
    return Split::unused;
}

std::vector<std::string> parseLabels(std::string_view text) {
    std::vector<std::string> labels;
    while (!text.empty()) {
        const auto end = std::min(text.find(';'), text.size());
        if (const auto label = trimmed(text.substr(0, end)); !label.empty())
            labels.push_back(printable(label));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return labels;
}

class TableReader {
  public:
    TableReader(const std::filesystem::path& csv, std::vector<FoundClip>& found,
                std::vector<Problem>& problems)
        : csv_(csv)
        , found_(found)
        , problems_(problems) {}

    void read() {
        const auto rows = parseCsvLines(readWholeFile(csv_, largestTable, "CSV of labelled files"));
        if (rows.empty()) throw Error(displayName(csv_) + ": is empty; " + wanted);
        readHeader(rows.front().fields);
        for (std::size_t i = 1; i < rows.size(); ++i) readRow(rows[i]);
        for (auto& clip : clips_) finish(clip);
        std::erase_if(clips_, [](const FoundClip& clip) { return clip.strong && clip.spans.empty(); });
        found_.insert(found_.end(), std::make_move_iterator(clips_.begin()),
                      std::make_move_iterator(clips_.end()));
    }

  private:
    static constexpr const char* wanted =
        "its first line must name its columns: file,label or file,onset,offset,label";

    void readHeader(const CsvRow& header) {
        for (std::size_t i = 0; i < header.size(); ++i) columns_.emplace(lowerCase(trimmed(header[i])), i);
        for (const char* name : {"file", "label"})
            if (columns_.count(name) == 0)
                throw Error(fmt::format("{}: has no column \"{}\"; {}", displayName(csv_), name, wanted));
        if (columns_.count("onset") != columns_.count("offset"))
            throw Error(fmt::format("{}: has only one of the columns \"onset\" and \"offset\"; {}",
                                    displayName(csv_), wanted));
    }

    std::string_view field(const CsvRow& row, const char* name) const {
        const auto column = columns_.find(name);
        if (column == columns_.end() || column->second >= row.size()) return {};
        return trimmed(row[column->second]);
    }

    void complain(int line, std::string what) {
        problems_.push_back(
            {fmt::format("{}, line {}", displayName(csv_.filename()), line), std::move(what)});
    }

    void readRow(const CsvLine& row) {
        const auto name = field(row.fields, "file");
        if (name.empty()) return complain(row.line, "names no file; the row is left out");
        FoundClip* clip = clipOf(row, name);
        if (clip == nullptr) return;
        const auto labels = parseLabels(field(row.fields, "label"));
        const auto onset = field(row.fields, "onset"), offset = field(row.fields, "offset");
        if (onset.empty() && offset.empty()) {
            clip->labels.insert(clip->labels.end(), labels.begin(), labels.end());
            return;
        }
        clip->strong = true;
        const auto from = parseSeconds(onset), to = parseSeconds(offset);
        if (!from || !to) return complain(row.line, "onset and offset must be seconds; the row is left out");
        if (labels.empty()) return complain(row.line, "has a time but no label; the row is left out");
        if (*from < 0.0 || *to <= *from)
            return complain(row.line,
                            fmt::format("a sound from {} s to {} s begins before its file, or has no "
                                        "length; the row is left out",
                                        *from, *to));
        for (const auto& label : labels) clip->spans.push_back({*from, *to, label});
    }

    void finish(FoundClip& clip) {
        if (clip.strong) {
            if (!clip.labels.empty())
                problems_.push_back(
                    {clip.where, fmt::format("\"{}\" has no onset and offset there, other sounds "
                                             "have; it is taken not to sound",
                                             printable(clip.labels.front()))});
            if (clip.spans.empty())
                problems_.push_back({clip.where, "none of its sounds can be used; it is left out"});
            clip.labels.clear();
            for (const auto& span : clip.spans) clip.labels.push_back(span.label);
        }
        std::ranges::sort(clip.labels);
        clip.labels.erase(std::unique(clip.labels.begin(), clip.labels.end()), clip.labels.end());
    }

    // The one that this file's rows add to; null when there is no such file.
    FoundClip* clipOf(const CsvLine& row, std::string_view name) {
        const auto split = parseSplit(field(row.fields, "split"));
        const std::string group(field(row.fields, "group").empty() ? name : field(row.fields, "group"));
        const auto known = indexOf_.find(name);
        if (known != indexOf_.end()) {
            if (!known->second) return nullptr;
            FoundClip& clip = clips_[*known->second];
            if (clip.split != split || clip.group != group)
                complain(row.line, "gives this file another split or group than its first row, which counts");
            return &clip;
        }
        const auto file = csv_.parent_path() / std::filesystem::path(name);
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(file, ignored)) {
            complain(row.line, fmt::format("there is no file {}; files are looked for beside the CSV",
                                           printable(name)));
            indexOf_.emplace(name, std::nullopt);
            return nullptr;
        }
        indexOf_.emplace(name, clips_.size());
        FoundClip clip;
        clip.file = file;
        clip.where = printable(name);
        clip.split = split;
        clip.group = group;
        clip.licence = field(row.fields, "licence");
        clip.author = field(row.fields, "author");
        clip.source = field(row.fields, "source_repo");
        return &clips_.emplace_back(std::move(clip));
    }

    const std::filesystem::path& csv_;
    std::vector<FoundClip>& found_;
    std::vector<Problem>& problems_;
    std::vector<FoundClip> clips_;
    std::map<std::string, std::size_t, std::less<>> columns_;                // by name
    std::map<std::string, std::optional<std::size_t>, std::less<>> indexOf_; // by file as it is written
};

} // namespace

void readClipTable(const std::filesystem::path& csv, std::vector<FoundClip>& found,
                   std::vector<Problem>& problems) {
    TableReader(csv, found, problems).read();
}

} // namespace earshot::training
