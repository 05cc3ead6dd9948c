#include "Core/Training/Data/DataSetReaders.h"

#include "Core/Base/Csv.h"
#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <locale>
#include <map>
#include <sstream>
#include <utility>

namespace earshot::training {

namespace {

// AudioSet's two million clips need half of it.
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

ClipKind parseKind(std::string_view text) {
    const std::string name = lowerCase(text);
    if (name == "background") return ClipKind::background;
    if (name == "rir") return ClipKind::room;
    return ClipKind::sound;
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
        std::erase_if(clips_, [this](FoundClip& clip) { return !finish(clip); });
        found_.insert(found_.end(), std::make_move_iterator(clips_.begin()),
                      std::make_move_iterator(clips_.end()));
    }

  private:
    static constexpr const char* wanted =
        "its first line must name its columns: file,label or file,onset,offset,label";

    void readHeader(const CsvRow& header) {
        columns_ = columnsOf(header);
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

    void complain(int line, std::string what, bool leftOut = true) {
        problems_.push_back(
            {fmt::format("{}, line {}", displayName(csv_.filename()), line), std::move(what), leftOut});
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

    // Returns whether the clip can be used.
    bool finish(FoundClip& clip) {
        if (clip.kind != ClipKind::sound && !(clip.labels.empty() && clip.spans.empty())) {
            problems_.push_back({clip.where,
                                 clip.kind == ClipKind::background
                                     ? "is a background, and its label is ignored"
                                     : "is an impulse response, and its label is ignored",
                                 false});
            clip.labels.clear();
            clip.spans.clear();
            clip.strong = false;
        }
        if (clip.strong) {
            if (!clip.labels.empty())
                problems_.push_back({clip.where,
                                     fmt::format("\"{}\" has no onset and offset there, other sounds "
                                                 "have; it is taken not to sound",
                                                 printable(clip.labels.front())),
                                     false});
            if (clip.spans.empty())
                problems_.push_back({clip.where, "none of its sounds can be used; it is left out"});
            clip.labels.clear();
            for (const auto& span : clip.spans) clip.labels.push_back(span.label);
        }
        std::ranges::sort(clip.labels);
        clip.labels.erase(std::unique(clip.labels.begin(), clip.labels.end()), clip.labels.end());
        const bool usable = !clip.strong || !clip.spans.empty();
        // In a table of times, rows without a time and a label say that the file holds no sound. Those of a
        // collection say what it is not.
        if (clip.kind == ClipKind::sound && clip.labels.empty() && columns_.count("onset") > 0 &&
            columns_.count("not") == 0)
            clip.strong = true;
        return usable;
    }

    // The clip to which this file's rows belong; null if there is no such file.
    FoundClip* clipOf(const CsvLine& row, std::string_view name) {
        const auto split = parseSplit(field(row.fields, "split"));
        const std::string group(field(row.fields, "group").empty() ? name : field(row.fields, "group"));
        const auto known = indexOf_.find(name);
        if (known != indexOf_.end()) {
            if (!known->second) return nullptr;
            FoundClip& clip = clips_[*known->second];
            if (clip.split != split || clip.group != group)
                complain(row.line, "gives this file another split or group than its first row, which counts",
                         false);
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
        clip.kind = parseKind(field(row.fields, "source_type"));
        clip.licence = field(row.fields, "licence");
        clip.author = field(row.fields, "author");
        clip.source = field(row.fields, "source_repo");
        return &clips_.emplace_back(std::move(clip));
    }

    const std::filesystem::path& csv_;
    std::vector<FoundClip>& found_;
    std::vector<Problem>& problems_;
    std::vector<FoundClip> clips_;
    Columns columns_;
    std::map<std::string, std::optional<std::size_t>, std::less<>> indexOf_; // by file as it is written
};

using Paths = std::vector<std::filesystem::path>;

bool isHidden(const std::filesystem::path& path) { return path.filename().string().starts_with('.'); }

bool isAudio(const std::filesystem::path& file) {
    static constexpr std::array extensions = {".wav", ".wave", ".aif", ".aiff", ".aifc", ".flac", ".ogg",
                                              ".oga", ".opus", ".mp3", ".w64",  ".rf64", ".caf",  ".au"};
    const std::string extension = lowerCase(file.extension().string());
    return std::ranges::find(extensions, extension) != extensions.end() && !isHidden(file);
}

std::string failure(const std::error_code& why) {
    return fmt::format("cannot be read ({}); check its permissions", why.message());
}

// Sorted, so that the same folders give the same data set on every file system.
Paths entriesOf(const std::filesystem::path& folder) {
    std::error_code why;
    Paths entries;
    for (auto entry = std::filesystem::directory_iterator(folder, why);
         !why && entry != std::filesystem::directory_iterator(); entry.increment(why))
        if (!isHidden(entry->path())) entries.push_back(entry->path());
    if (why) throw Error(displayName(folder) + ": this folder " + failure(why));
    std::ranges::sort(entries);
    return entries;
}

// Unreadable entries are listed; links to folders are not followed.
void addAudioBelow(const std::filesystem::path& folder, Paths& files, std::vector<Problem>& problems) {
    std::error_code why;
    for (auto entry = std::filesystem::directory_iterator(folder, why);
         !why && entry != std::filesystem::directory_iterator(); entry.increment(why)) {
        std::error_code unknown;
        const auto type = entry->status(unknown).type();
        if (type == std::filesystem::file_type::none)
            problems.push_back({displayName(entry->path()), failure(unknown)});
        else if (type == std::filesystem::file_type::regular && isAudio(entry->path()))
            files.push_back(entry->path());
        else if (type == std::filesystem::file_type::directory && !entry->is_symlink(unknown))
            addAudioBelow(entry->path(), files, problems);
    }
    if (why) problems.push_back({displayName(folder), failure(why)});
}

Paths audioBelow(const std::filesystem::path& folder, std::vector<Problem>& problems) {
    Paths files;
    addAudioBelow(folder, files, problems);
    std::ranges::sort(files);
    return files;
}

// Folders that are no classes.
const std::map<std::string_view, ClipKind> kindOfFolder = {
    {"_other", ClipKind::sound}, {"_background", ClipKind::background}, {"_rooms", ClipKind::room}};

} // namespace

void readClipTable(const std::filesystem::path& csv, std::vector<FoundClip>& found,
                   std::vector<Problem>& problems) {
    TableReader(csv, found, problems).read();
}

Columns columnsOf(const CsvRow& header) {
    Columns columns;
    for (std::size_t i = 0; i < header.size(); ++i) columns.emplace(lowerCase(trimmed(header[i])), i);
    for (const auto& [name, other] : {std::pair{"onset", "onset_s"}, {"offset", "offset_s"}})
        if (const auto found = columns.find(other); found != columns.end())
            columns.emplace(name, found->second);
    return columns;
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
            labels.push_back(printable(label));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return labels;
}

void readClassFolders(const std::filesystem::path& folder, std::vector<FoundClip>& found,
                      std::vector<Problem>& problems) {
    int astray = 0;
    for (const auto& entry : entriesOf(folder)) {
        const std::size_t before = problems.size();
        std::error_code unknown;
        const auto type = std::filesystem::status(entry, unknown).type();
        if (type == std::filesystem::file_type::none)
            problems.push_back({displayName(entry), failure(unknown)});
        if (type != std::filesystem::file_type::directory) {
            if (type == std::filesystem::file_type::regular && isAudio(entry)) ++astray;
            continue;
        }
        const std::string label = printable(trimmed(entry.filename().string()));
        const auto files = audioBelow(entry, problems);
        if (files.empty() && problems.size() == before)
            problems.push_back({displayName(entry), "holds no audio files", false});
        for (const auto& file : files) {
            FoundClip clip;
            clip.file = file;
            clip.group = file.lexically_relative(folder).generic_string();
            clip.where = printable(clip.group);
            if (const auto kind = kindOfFolder.find(label); kind != kindOfFolder.end())
                clip.kind = kind->second;
            else
                clip.labels = {label};
            found.push_back(std::move(clip));
        }
    }
    if (astray > 0)
        problems.push_back(
            {displayName(folder), fmt::format("{} audio files lie in no class's folder; move them "
                                              "into a folder named after what they are",
                                              astray)});
}

} // namespace earshot::training
