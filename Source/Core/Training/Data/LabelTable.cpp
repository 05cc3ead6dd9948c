#include "Core/Training/Data/LabelTable.h"

#include "Core/Base/Error.h"
#include "Core/Base/Numbers.h"
#include "Core/Base/Unicode.h"
#include "Core/Training/Data/LabelRows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace earshot::training {

namespace {

using namespace std::string_view_literals;

std::string named(const CsvRow& header) {
    constexpr std::size_t maxNames = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(header.size(), maxNames); ++i)
        text += (i == 0 ? "\"" : ", \"") + printable(trimmed(header[i])) + "\"";
    return header.size() > maxNames ? text + ", ..." : text;
}

// Windows' separators are those of this system, too.
std::string withSlashes(std::string_view path) {
    std::string text(trimmed(path));
    const bool ofWindows = text.find('\\') != std::string::npos &&
                           (text.find('/') == std::string::npos || text.find(":\\") == 1);
    if (ofWindows) std::ranges::replace(text, '\\', '/');
    return text;
}

bool isAbsolute(std::string_view path) {
    return path.starts_with('/') || (path.size() > 2 && path[1] == ':' && path[2] == '/');
}

std::string_view lastPart(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

std::string joined(std::string_view folder, std::string_view name) {
    if (folder.empty()) return std::string(name);
    return std::string(folder) + (folder.ends_with('/') ? "" : "/") + std::string(name);
}

class LabelTableReader {
  public:
    LabelTableReader(LabelRows raw, const std::filesystem::path& file, std::string_view labelColumn)
        : raw_(std::move(raw))
        , file_(file)
        , columns_(columnsOf(raw_.header)) {
        raven_ = has("begin time (s)") && has("end time (s)");
        kaleidoscope_ = has("in file") && has("folder");
        if (kaleidoscope_) useKaleidoscopeTimes();
        chooseLabels(labelColumn);
        requireColumns();
    }

    LabelTable read() {
        table_.unit = raw_.unit;
        table_.namesFiles = has("file");
        table_.timed = has("onset");
        table_.counterExamples = has("not");
        if (raven_) chooseRavenTimes();
        noteGeneralNames();
        for (const CsvLine& row : raw_.rows) add(row);
        return std::move(table_);
    }

  private:
    bool has(std::string_view name) const { return columns_.count(name) > 0; }

    std::string_view field(const CsvRow& row, std::string_view name) const {
        const auto column = columns_.find(name);
        if (column == columns_.end() || column->second >= row.size()) return {};
        return trimmed(row[column->second]);
    }

    std::string place(int line) const {
        return fmt::format("{}, {} {}", displayName(file_.filename()), raw_.unit, line);
    }

    void note(std::string what) {
        table_.problems.push_back({displayName(file_.filename()), std::move(what), false});
    }

    [[noreturn]] void refuse(const std::string& what) const { throw Error(displayName(file_) + ": " + what); }

    // OFFSET is where a sound begins there.
    void useKaleidoscopeTimes() {
        const auto begin = columns_.find("offset"), length = columns_.find("duration");
        if (begin == columns_.end() || length == columns_.end()) {
            for (const char* name : {"onset", "offset", "length"}) columns_.erase(name);
            return;
        }
        columns_["onset"] = begin->second;
        columns_["length"] = length->second;
        columns_.erase("offset");
    }

    bool hasValues(std::size_t column) const {
        return std::ranges::any_of(raw_.rows, [column](const CsvLine& row) {
            return column < row.fields.size() && !trimmed(row.fields[column]).empty();
        });
    }

    void chooseLabels(std::string_view wanted) {
        if (!wanted.empty()) {
            const auto column = columns_.find(columnName(wanted));
            if (column == columns_.end())
                refuse(fmt::format("has no column \"{}\" for labels; its columns are: {}", printable(wanted),
                                   named(raw_.header)));
            columns_["label"] = column->second;
            return;
        }
        const auto own =
            std::ranges::any_of(raw_.header, [](const auto& name) { return columnName(name) == "label"; });
        if (own) return;
        for (const auto name : labelColumns()) {
            const auto column = columns_.find(name);
            if (column == columns_.end() || !hasValues(column->second)) continue;
            columns_["label"] = column->second;
            manyLabels_ = name == "event_labels" || name == "labels";
            if (name == "auto id" || name == "top1match")
                note(fmt::format("has no MANUAL ID; {} is taken, which a program found",
                                 printable(trimmed(raw_.header[column->second]))));
            return;
        }
        if (raven_) chooseRavenLabels();
    }

    // Raven lets users name their columns. Its own have units, or numbers in them.
    void chooseRavenLabels() {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < raw_.header.size(); ++i) {
            const std::string name = columnName(raw_.header[i]);
            const bool known = name.find('(') != std::string::npos || name == "selection" || name == "view" ||
                               name == "channel" || name.starts_with("begin ") || name.starts_with("end ") ||
                               name == "file" || name == "not" || name.empty();
            const bool numeric = std::ranges::all_of(raw_.rows, [i](const CsvLine& row) {
                return i >= row.fields.size() || trimmed(row.fields[i]).empty() ||
                       parseSeconds(row.fields[i]).has_value();
            });
            if (!known && !numeric) found.push_back(i);
        }
        if (found.size() == 1) {
            columns_["label"] = found.front();
            note(fmt::format("its labels are taken from the column \"{}\"",
                             printable(trimmed(raw_.header[found.front()]))));
        } else if (raw_.rows.empty()) {
            columns_.emplace("label", raw_.header.size()); // there is no sound to name
        }
    }

    void requireColumns() {
        if (!has("label"))
            refuse(fmt::format("has no column \"label\"; its columns are: {}; name that of the labels with "
                               "--label-column, or: {}",
                               named(raw_.header), wantedColumns));
        if (!has("file") && !has("onset")) refuse(fmt::format("has no column \"file\"; {}", wantedColumns));
        const bool ends = has("offset") || has("length");
        if (has("onset") != ends && !(has("length") && !has("offset")))
            refuse(fmt::format("has only one of the columns \"onset\" and \"offset\"; {}", wantedColumns));
        // The length of a file, beside no onset, says nothing of its sounds.
        if (!has("onset")) columns_.erase("length");
    }

    // Such columns of other tables say which part of another recording a clip is.
    void noteGeneralNames() {
        if (!has("onset")) return;
        const std::string onset = columnName(raw_.header[columns_.find("onset")->second]);
        if (onset == "start" || onset == "begin" || onset == "start_seconds")
            note(fmt::format("its column \"{}\" is taken for the onsets of sounds in their files", onset));
    }

    // Begin Time counts from the start of all files that Raven opened as one, File Offset from the start of
    // each.
    void chooseRavenTimes() {
        std::set<std::string> files;
        for (const CsvLine& row : raw_.rows) files.insert(fileOf(row.fields));
        if (const auto own = columns_.find("file offset (s)"); own != columns_.end()) {
            fileOffset_ = own->second;
        } else if (files.size() > 1) {
            refuse("names several recordings and has no column \"File Offset (s)\", so that the times in "
                   "each are "
                   "not known; add that measurement in Raven and save the table again");
        }
    }

    std::string fileOf(const CsvRow& row) const {
        if (kaleidoscope_)
            return joined(joined(withSlashes(field(row, "indir")), withSlashes(field(row, "folder"))),
                          withSlashes(field(row, "in file")));
        const std::string name = withSlashes(field(row, "begin file"));
        if (has("begin path") && !field(row, "begin path").empty()) {
            std::string path = withSlashes(field(row, "begin path"));
            return name.empty() || lastPart(path) == name ? path : joined(path, name);
        }
        return has("begin file") ? name : withSlashes(field(row, "file"));
    }

    std::optional<TimeSpan> spanOf(const CsvRow& row) const {
        const auto onset = field(row, "onset"), end = field(row, "offset"), length = field(row, "length");
        if (onset.empty() && end.empty() && (length.empty() || has("offset"))) return std::nullopt;
        const auto from = parseSeconds(onset), until = parseSeconds(end), lasting = parseSeconds(length);
        const bool byLength = end.empty() && lasting.has_value();
        if (fileOffset_ && from && (until || byLength)) {
            const auto own = *fileOffset_ < row.size() ? parseSeconds(row[*fileOffset_]) : std::nullopt;
            if (!own) return TimeSpan{0.0, 0.0, "its File Offset must be seconds"};
            return parseSpan(fmt::format("{}", *own),
                             fmt::format("{}", *own + (byLength ? *lasting : *until - *from)));
        }
        return parseSpan(onset, byLength && from ? fmt::format("{}", *from + *lasting) : std::string(end));
    }

    std::vector<std::string> labelsOf(const CsvRow& row) const {
        std::string text(field(row, "label"));
        // "Speech,Dog", but not "Gunshot, explosion"
        for (std::size_t i = 0; manyLabels_ && i + 1 < text.size(); ++i)
            if (text[i] == ',' && text[i + 1] != ' ') text[i] = ';';
        auto labels = parseLabels(text);
        std::erase_if(labels, [this](const auto& label) { return kaleidoscope_ && label == "NoID"; });
        return labels;
    }

    // What is wrong with the row as a whole, else "".
    std::string faultOf(const CsvRow& row) const {
        const bool more = row.size() > raw_.header.size() &&
                          std::any_of(row.begin() + static_cast<std::ptrdiff_t>(raw_.header.size()),
                                      row.end(), [](const auto& text) { return !trimmed(text).empty(); });
        if (more && has("file"))
            return fmt::format(
                "has {} fields, and the table {} columns; a field with a comma, also in a number, "
                "needs quotation marks; the row is left out",
                row.size(), raw_.header.size());
        for (const auto name : {"file"sv, "label"sv}) {
            const auto text = field(row, name);
            if (text.find('\n') != std::string_view::npos)
                return fmt::format(
                    "its {} goes on in the next line; is a quotation mark left open? The row is "
                    "left out",
                    name);
        }
        return {};
    }

    // Label tracks have no quotation marks, other tables may.
    bool opensQuote(const CsvRow& row) const {
        const auto open = [&](std::string_view name) {
            const auto text = field(row, name);
            return text.starts_with('"') && (text.size() == 1 || !text.ends_with('"'));
        };
        return raw_.tabs && has("file") && (open("file") || open("label"));
    }

    void add(const CsvLine& raw) {
        const CsvRow& row = raw.fields;
        if (opensQuote(row)) throw Error(openQuoteMessage(file_, raw.line));
        if (std::string fault = faultOf(row); !fault.empty()) {
            table_.problems.push_back({place(raw.line), std::move(fault)});
            return;
        }
        if (raven_ && !seen_.insert(identityOf(row)).second) return;
        LabelRow& added = table_.rows.emplace_back();
        added.line = raw.line;
        added.file = fileOf(row);
        added.mayHaveMoved = raven_ || kaleidoscope_ || isAbsolute(added.file);
        added.labels = labelsOf(row);
        added.span = spanOf(row);
        added.peak = parseNumber(field(row, "peak"));
        added.confidence = parseNumber(field(row, "confidence"));
        if (const auto distance = parseNumber(field(row, "top1dist")); distance && !added.confidence)
            added.confidence = 1.0 - *distance;
        added.split = field(row, "split");
        added.group = field(row, "group");
        added.kind = field(row, "source_type");
        added.licence = field(row, "licence");
        added.author = field(row, "author");
        added.source = field(row, "source_repo");
    }

    // A selection has a row for each view that shows it.
    std::string identityOf(const CsvRow& row) const {
        std::string text;
        for (const auto name :
             {"selection"sv, "begin path"sv, "begin file"sv, "begin time (s)"sv, "end time (s)"sv, "label"sv})
            text += std::string(field(row, name)) + '\t';
        // Without a number, each row is a selection.
        return has("selection") ? text : text + std::to_string(seen_.size());
    }

    LabelRows raw_;
    const std::filesystem::path& file_;
    Columns columns_;
    bool raven_ = false, kaleidoscope_ = false;
    bool manyLabels_ = false; // commas part labels
    std::optional<std::size_t> fileOffset_;
    std::set<std::string> seen_; // Raven's selections
    LabelTable table_;
};

} // namespace

LabelTable parseLabelTable(std::string_view text, const std::filesystem::path& file,
                           std::string_view labelColumn) {
    return LabelTableReader(readLabelRows(text, file), file, labelColumn).read();
}

} // namespace earshot::training
