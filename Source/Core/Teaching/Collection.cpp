#include "Core/Teaching/Collection.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/AudioWriter.h"
#include "Core/Base/Numbers.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Teaching/ExampleTable.h"
#include "Core/Training/Data/DataSetReaders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>
#include <set>
#include <thread>
#include <utility>

namespace earshot::teaching {

namespace fs = std::filesystem;
using namespace std::string_view_literals;
using training::lowerCase;
using training::trimmed;

namespace {

constexpr std::uint64_t largestTable = std::uint64_t{64} << 20; // bytes
constexpr std::array columns = {"file"sv,  "onset"sv,       "offset"sv,    "label"sv,
                                "group"sv, "source_type"sv, "licence"sv,   "author"sv,
                                "not"sv,   "not_onset"sv,   "not_offset"sv};
constexpr const char* wanted =
    "its first line must name its columns, with commas between them: file,label or file,onset,offset,label";

using Fields = std::vector<std::pair<std::string_view, std::string>>;

// Keeps other programs, and other collections of this one, from changing the folder.
class ChangeLock {
  public:
    explicit ChangeLock(const fs::path& folder) {
        constexpr auto patience = std::chrono::seconds(5); // others write for a moment
        constexpr auto pause = std::chrono::milliseconds(10);
        const fs::path file = folder / ".lock";
        file_ = platform::openOrCreate(file);
        if (!file_.isOpen()) failToWrite(file, errno);
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (!platform::lock(file_.number())) {
            const int code = errno;
            if (code != EWOULDBLOCK && code != EINTR)
                throw WriteError(
                    fmt::format("{}: cannot be locked ({}); choose a folder on a file system that has locks",
                                displayName(folder), std::strerror(code)));
            if (std::chrono::steady_clock::now() > deadline)
                throw WriteError(displayName(folder) +
                                 ": another Earshot is changing these examples; try again in a moment");
            std::this_thread::sleep_for(pause);
        }
    }

  private:
    platform::Descriptor file_;
};

void makeFolder(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) failToWrite(folder, failure.value());
}

bool isThere(const fs::path& file) {
    std::error_code ignored;
    return fs::symlink_status(file, ignored).type() != fs::file_type::not_found;
}

// One name for each file, by whatever path it is reached.
fs::path identityOf(const fs::path& file) {
    std::error_code failure;
    const fs::path canonical = fs::weakly_canonical(fs::absolute(file, failure), failure);
    return failure ? file.lexically_normal() : canonical;
}

// The path within the folder; empty if the file lies outside of it. Both are identities.
fs::path within(const fs::path& folder, const fs::path& file) {
    const fs::path relative = file.lexically_relative(folder);
    return relative.empty() || *relative.begin() == ".." ? fs::path() : relative;
}

// A path in the folder that nothing has: STEM-1.flac, STEM-2.flac and so on.
fs::path freePath(const fs::path& folder, const std::string& stem, const std::string& extension) {
    for (int number = 1;; ++number)
        if (fs::path path = folder / fmt::format("{}-{}{}", stem, number, extension); !isThere(path))
            return path;
}

// The name as the beginning of a file's name on any system: letters, digits, and hyphens for all between
// them. No dot is left and a date follows, so that Windows sees none of its devices in it (CON, NUL.txt).
std::string fileStem(std::string_view name) {
    constexpr std::size_t longest = 60; // bytes
    constexpr char32_t firstBeyondAscii = 0x80;
    std::string stem;
    while (!name.empty()) {
        const auto [bytes, code] = takeCharacter(name);
        const char c = bytes.front();
        const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        const bool shown = code && *code >= firstBeyondAscii && !isControl(*code) && !isInvisible(*code);
        if (stem.size() + bytes.size() > longest) break;
        if (alphanumeric || shown)
            stem += lowerCase(bytes);
        else if (!stem.empty() && stem.back() != '-')
            stem += '-';
    }
    while (stem.ends_with('-')) stem.pop_back();
    return stem.empty() ? "sound" : stem;
}

std::string timeForNames() {
    using namespace std::chrono;
    const auto now = floor<seconds>(system_clock::now());
    const auto today = floor<days>(now);
    const year_month_day date(today);
    const hh_mm_ss time(now - today);
    return fmt::format("{:04}-{:02}-{:02}-{:02}{:02}{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       time.hours().count(), time.minutes().count(), time.seconds().count());
}

// To the microsecond, a small part of a sample.
std::string secondsText(double seconds) { return fmt::format("{}", std::round(seconds * 1e6) / 1e6); }

std::vector<std::string> labelsOf(const ExampleTable& table, std::size_t row) {
    return training::parseLabels(table.field(row, "label"));
}

std::string againstOf(const ExampleTable& table, std::size_t row) {
    return printable(table.field(row, "not"));
}

std::string joined(const std::vector<std::string>& labels) {
    std::string text;
    for (const auto& label : labels) text += (text.empty() ? "" : ";") + label;
    return text;
}

// Backgrounds and rooms, whose labels training ignores.
bool isScenery(const ExampleTable& table, std::size_t row) {
    const std::string kind = lowerCase(table.field(row, "source_type"));
    return kind == "background" || kind == "rir";
}

bool same(std::string_view label, std::string_view other) { return lowerCase(label) == lowerCase(other); }

// As the class is spelled already, if it is there.
std::string spelled(const std::string& name, const ExampleTable& table) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (const auto& label : labelsOf(table, row))
            if (same(label, name)) return label;
        if (auto against = againstOf(table, row); same(against, name)) return against;
    }
    return name;
}

void requireName(std::string_view name) {
    if (const std::string why = validName(name); !why.empty())
        throw Error(fmt::format("\"{}\": {}", printable(trimmed(name)), why));
}

const char* kindName(training::ClipKind kind) {
    switch (kind) {
    case training::ClipKind::background:
        return "background";
    case training::ClipKind::room:
        return "rir";
    case training::ClipKind::sound:
        break;
    }
    return "sound";
}

} // namespace

std::string validName(std::string_view name) {
    constexpr std::size_t mostCharacters = 100;
    constexpr std::size_t mostBytes = 200; // training shortens longer labels
    name = trimmed(name);
    if (name.empty()) return "A class needs a name: say what the sound is.";
    std::size_t characters = 0;
    for (std::string_view rest = name; !rest.empty(); ++characters)
        if (!takeCharacter(rest).code) return "This name is not text in UTF-8: type it again.";
    if (characters > mostCharacters || name.size() > mostBytes)
        return fmt::format("This name is too long: use {} characters at most.", mostCharacters);
    if (printable(name) != name) return "This name has characters that cannot be seen: type it again.";
    if (name.starts_with('_')) return "Names that begin with _ are no classes: choose another beginning.";
    if (name.find(';') != std::string_view::npos)
        return "A semicolon stands between the names of several classes: leave it out.";
    return {};
}

Collection::Collection(fs::path folder)
    : folder_(std::move(folder)) {
    reload();
}

fs::path Collection::table() const { return folder_ / "examples.csv"; }

void Collection::reload() { take(readTable()); }

ExampleTable Collection::readTable() const {
    const fs::path csv = table();
    if (!platform::statusOf(csv) && (errno == ENOENT || errno == ENOTDIR)) return ExampleTable();
    const std::string text = readWholeFile(csv, largestTable, "CSV of examples");
    if (text.find('\0') != std::string::npos)
        throw Error(displayName(csv) + ": is no CSV in UTF-8; save it as one, or move it away");
    ExampleTable read(text);
    for (const auto column : {"file"sv, "label"sv})
        if (!read.empty() && !read.has(column))
            throw Error(fmt::format("{}: has no column \"{}\"; {}", displayName(csv), column, wanted));
    return read;
}

// What is written must be read as it was meant.
std::string Collection::checkedText(const ExampleTable& changed) const {
    std::string text = changed.text();
    if (text.size() > largestTable)
        throw WriteError(displayName(table()) +
                         ": would be larger than 64 MB; begin a collection in another folder");
    if (ExampleTable(text).rows() != changed.rows())
        throw WriteError(displayName(table()) +
                         ": has a quotation mark that is never closed; correct it in a spreadsheet program");
    return text;
}

void Collection::complain(int line, std::string what) {
    problems_.push_back({fmt::format("{}, line {}", displayName(table().filename()), line), std::move(what)});
}

void Collection::take(const ExampleTable& read) {
    examples_.clear();
    written_.clear();
    problems_.clear();
    std::map<std::string, std::string> spellings; // by lower case
    for (std::size_t row = 0; row < read.rows(); ++row) takeRow(read, row, spellings);
}

void Collection::takeRow(const ExampleTable& read, std::size_t row,
                         std::map<std::string, std::string>& spellings) {
    const int line = read.line(row);
    const std::string name(read.field(row, "file"));
    if (name.empty()) return complain(line, "names no file; the row is not counted");
    if (isScenery(read, row)) return;
    Example example;
    example.file = folder_ / fs::path(name);
    std::error_code ignored;
    if (!fs::is_regular_file(example.file, ignored))
        return complain(line, fmt::format("there is no file {}; the row is not counted", printable(name)));
    const auto spelling = [&](const std::string& label) {
        return spellings.emplace(lowerCase(label), label).first->second;
    };
    std::vector<std::string> labels = labelsOf(read, row);
    if (const auto against = againstOf(read, row); !against.empty()) example.against = spelling(against);

    auto onset = read.field(row, "onset"), offset = read.field(row, "offset");
    if (labels.empty() && onset.empty() && offset.empty()) {
        onset = read.field(row, "not_onset");
        offset = read.field(row, "not_offset");
    }
    if (!onset.empty() || !offset.empty()) {
        example.onset = parseNumber(onset);
        example.offset = parseNumber(offset);
        if (!example.onset || !example.offset)
            return complain(line, "onset and offset must be seconds; the row is not counted");
        if (*example.onset < 0.0 || *example.offset <= *example.onset)
            return complain(line, fmt::format("a sound from {} s to {} s begins before its file, or has no "
                                              "length; the row is not counted",
                                              *example.onset, *example.offset));
        if (labels.empty() && example.against.empty())
            return complain(line, "has a time but no label; the row is not counted");
    }
    example.group = read.field(row, "group");
    example.licence = read.field(row, "licence");
    example.author = read.field(row, "author");
    if (labels.empty()) labels.emplace_back(); // a counter-example, or a sound of no class
    for (const auto& label : labels) {
        example.label = label.empty() ? label : spelling(label);
        examples_.push_back(example);
        written_.push_back(name);
        example.against.clear(); // it is one counter-example, however many labels it has
    }
}

Example Collection::add(const NewExample& example) {
    assert(example.label.empty() || example.against.empty());
    const bool counter = !example.against.empty();
    const std::string_view wish = trimmed(counter ? example.against : example.label);
    requireName(wish);
    const double length = static_cast<double>(example.samples.size()) / std::max(example.sampleRate, 1);
    const double onset = std::max(example.onset, 0.0);
    const double offset = std::min(example.offset, length);
    if (!(offset - onset > 1e-6))
        throw Error(
            fmt::format("\"{}\": no sound is marked; mark a stretch of what was heard", printable(wish)));

    makeFolder(folder_);
    const ChangeLock lock(folder_);
    ExampleTable changed = readTable();
    const std::string name = spelled(std::string(wish), changed);
    const fs::path clips = folder_ / "clips";
    const std::string stem = fileStem(counter ? "not " + name : name) + "-" + timeForNames();
    const fs::path clip = freePath(clips, stem, ".flac");
    changed.require(columns);
    changed.append(Fields{{"file", "clips/" + clip.filename().string()},
                          {counter ? "not_onset" : "onset", secondsText(onset)},
                          {counter ? "not_offset" : "offset", secondsText(offset)},
                          {counter ? "not" : "label", name},
                          {"group", std::string(trimmed(example.group))},
                          {"source_type", "sound"},
                          {"licence", std::string(trimmed(example.licence))},
                          {"author", std::string(trimmed(example.author))}});
    const std::string text = checkedText(changed);
    std::array files = {WholeFile(clip, WholeFile::MissingFolders::made), WholeFile(table())};
    audio::writeFlac(files[0], example.samples, example.sampleRate);
    files[1].write(text);
    try {
        WholeFile::commit(files);
    } catch (...) {
        const bool named = files[1].temporary().empty(); // the CSV has the row already
        if (!named) platform::remove(clip);
        throw;
    }
    take(ExampleTable(text));
    Example added;
    for (std::size_t i = 0; i < examples_.size(); ++i)
        if (written_[i] == "clips/" + clip.filename().string()) added = examples_[i];
    return added;
}

std::size_t Collection::addFolder(const fs::path& source) {
    const fs::path home = identityOf(folder_);
    if (identityOf(source) != home && isThere(source / "examples.csv"))
        throw Error(displayName(source) +
                    ": is a collection of examples itself; choose it as the folder of examples instead");
    std::vector<training::FoundClip> found;
    std::vector<training::Problem> problems;
    training::readClassFolders(source, found, problems);
    std::erase_if(found, [&](const training::FoundClip& clip) {
        const fs::path own = within(home, identityOf(clip.file));
        return !own.empty() && (*own.begin() == "clips" || *own.begin() == "forgotten");
    });
    if (found.empty())
        throw Error(
            displayName(source) +
            ": holds no folders of audio files; put the clips of each class into a folder of its name");

    makeFolder(folder_);
    const ChangeLock lock(folder_);
    ExampleTable changed = readTable();
    std::set<fs::path> known;
    for (std::size_t row = 0; row < changed.rows(); ++row)
        known.insert(identityOf(folder_ / fs::path(std::string(changed.field(row, "file")))));
    changed.require(columns);
    std::size_t count = 0;
    for (const auto& clip : found) {
        const std::string label = clip.labels.empty() ? std::string() : clip.labels.front();
        if (const std::string why = label.empty() ? std::string() : validName(label); !why.empty()) {
            problems.push_back({clip.where, why});
            continue;
        }
        const fs::path file = identityOf(clip.file);
        if (!known.insert(file).second) continue;
        const fs::path own = within(home, file);
        const std::string written = (own.empty() ? file : own).generic_string();
        if (validUtf8(written) != written || trimmed(written) != written) {
            problems.push_back({clip.where, "its name cannot be written to a CSV; give it another one"});
            continue;
        }
        const std::string name = label.empty() ? label : spelled(label, changed);
        changed.append(Fields{{"file", written},
                              {"label", name},
                              {"source_type", kindName(clip.kind)},
                              {"licence", clip.licence},
                              {"author", clip.author}});
        ++count;
    }
    if (count > 0) {
        const std::string text = checkedText(changed);
        writeWholeFile(table(), text);
        changed = ExampleTable(text);
    }
    take(changed);
    problems_.insert(problems_.end(), std::make_move_iterator(problems.begin()),
                     std::make_move_iterator(problems.end()));
    return count;
}

void Collection::requireClass(const std::string& label, const ExampleTable& read) const {
    for (std::size_t row = 0; row < read.rows(); ++row) {
        if (isScenery(read, row)) continue;
        const auto labels = labelsOf(read, row);
        if (std::ranges::any_of(labels, [&](const auto& other) { return same(other, label); })) return;
        if (!label.empty() && same(againstOf(read, row), label)) return;
    }
    throw Error(
        fmt::format("{}: has no class \"{}\"; it may have been renamed or forgotten by another program",
                    displayName(folder_), printable(label)));
}

void Collection::rename(const std::string& label, const std::string& name) {
    requireName(name);
    requireClass(label, readTable()); // a folder that is not there is not made
    const ChangeLock lock(folder_);
    ExampleTable changed = readTable();
    requireClass(label, changed);
    std::string written(trimmed(name));
    if (!same(written, label)) written = spelled(written, changed);
    changed.require(columns);
    for (std::size_t row = 0; row < changed.rows(); ++row) {
        if (isScenery(changed, row)) continue;
        std::vector<std::string> labels;
        bool renamed = false;
        for (const auto& before : labelsOf(changed, row)) {
            const bool hit = same(before, label);
            renamed |= hit;
            const std::string& now = hit ? written : before;
            if (std::ranges::find(labels, now) == labels.end()) labels.push_back(now);
        }
        if (renamed) changed.set(row, "label", joined(labels));
        if (same(againstOf(changed, row), label)) changed.set(row, "not", written);
    }
    const std::string text = checkedText(changed);
    writeWholeFile(table(), text);
    take(ExampleTable(text));
}

void Collection::forget(const std::string& label) {
    requireClass(label, readTable());
    const ChangeLock lock(folder_);
    ExampleTable changed = readTable();
    requireClass(label, changed);
    changed.require(columns);
    const auto fileOf = [&](std::size_t row) {
        return identityOf(folder_ / fs::path(std::string(changed.field(row, "file"))));
    };
    std::set<fs::path> dropped;
    for (std::size_t row = changed.rows(); row-- > 0;) {
        if (isScenery(changed, row)) continue;
        auto labels = labelsOf(changed, row);
        const bool had = std::erase_if(labels, [&](const auto& other) { return same(other, label); }) > 0;
        const std::string against = againstOf(changed, row);
        const bool wasAgainst = !against.empty() && same(against, label);
        if (!had && !wasAgainst) continue;
        const bool staysAgainst = !against.empty() && !wasAgainst;
        if (labels.empty() && !staysAgainst) {
            dropped.insert(fileOf(row));
            changed.remove(row);
            continue;
        }
        // The row is of another class, too.
        if (wasAgainst) changed.set(row, "not", "");
        if (!had) continue;
        changed.set(row, "label", joined(labels));
        if (!labels.empty()) continue;
        for (const auto& [from, to] : {std::pair{"onset"sv, "not_onset"sv}, {"offset"sv, "not_offset"sv}}) {
            changed.set(row, to, std::string(changed.field(row, from)));
            changed.set(row, from, "");
        }
    }
    for (std::size_t row = 0; row < changed.rows(); ++row) dropped.erase(fileOf(row));
    const fs::path home = identityOf(folder_), csv = identityOf(table());
    std::erase_if(dropped, [&](const fs::path& file) {
        const fs::path own = within(home, file);
        std::error_code ignored;
        return own.empty() || *own.begin() == "forgotten" || file == csv ||
               !fs::is_regular_file(file, ignored);
    });
    const fs::path forgotten = folder_ / "forgotten";
    if (!dropped.empty()) makeFolder(forgotten);
    const std::string text = checkedText(changed);
    writeWholeFile(table(), text);
    take(ExampleTable(text));
    // A clip that cannot be moved stays where it is, without a row.
    for (const fs::path& file : dropped) {
        fs::path place = forgotten / file.filename();
        if (isThere(place)) place = freePath(forgotten, file.stem().string(), file.extension().string());
        if (!platform::rename(file, place)) failToWrite(place, errno);
    }
}

double Collection::lengthOf(const fs::path& file) const {
    const auto status = platform::statusOf(file);
    if (!status) return 0.0;
    const auto known = lengths_.find(file);
    if (known != lengths_.end() && known->second.size == status->size &&
        known->second.changed == status->changed)
        return known->second.seconds;
    double seconds = 0.0;
    try {
        const audio::AudioFile clip(file);
        seconds = static_cast<double>(clip.frames()) / clip.sampleRate();
    } catch (const Error&) { // training lists it
        seconds = 0.0;
    }
    lengths_[file] = {.size = status->size, .changed = status->changed, .seconds = seconds};
    return seconds;
}

std::vector<ClassSummary> Collection::summaries() const {
    std::map<std::string, ClassSummary> classes;
    std::map<std::string, std::set<std::string>> groups;
    for (std::size_t i = 0; i < examples_.size(); ++i) {
        const Example& example = examples_[i];
        if (!example.against.empty()) ++classes[example.against].counterExamples;
        if (example.label.empty()) continue;
        ClassSummary& summary = classes[example.label];
        ++summary.examples;
        summary.seconds += example.onset ? *example.offset - *example.onset : lengthOf(example.file);
        groups[example.label].insert(example.group.empty() ? written_[i] : example.group);
    }
    std::vector<ClassSummary> sorted;
    for (auto& [label, summary] : classes) {
        summary.label = label;
        summary.groups = static_cast<int>(groups[label].size());
        sorted.push_back(std::move(summary));
    }
    return sorted;
}

std::string Collection::fingerprint() const {
    std::vector<std::string> rows;
    const auto time = [](const std::optional<double>& seconds) {
        return seconds ? secondsText(*seconds) : std::string();
    };
    for (std::size_t i = 0; i < examples_.size(); ++i) {
        const Example& example = examples_[i];
        std::string row;
        for (const auto& field : {written_[i], time(example.onset), time(example.offset), example.label,
                                  example.against, example.group})
            row += csvField(field) + ",";
        rows.push_back(row + "\n");
    }
    std::ranges::sort(rows);
    std::string text;
    for (const auto& row : rows) text += row;
    return sha256(text);
}

} // namespace earshot::teaching
