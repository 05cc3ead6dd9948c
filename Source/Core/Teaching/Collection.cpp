#include "Core/Teaching/Collection.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/AudioWriter.h"
#include "Core/Base/Log.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Teaching/ClipPaths.h"
#include "Core/Teaching/ExampleRows.h"
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
using training::lowerCase;
using training::trimmed;

namespace {

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

// To the microsecond, a small part of a sample.
std::string secondsText(double seconds) { return fmt::format("{}", std::round(seconds * 1e6) / 1e6); }

void requireName(std::string_view name) {
    if (const std::string why = validName(name); !why.empty())
        throw Error(fmt::format("\"{}\": {}", printable(trimmed(name)), why));
}

// The identities of the files that rows name.
std::set<fs::path> filesOf(const ExampleTable& table, const fs::path& folder) {
    std::set<fs::path> files;
    for (std::size_t row = 0; row < table.rows(); ++row)
        files.insert(identityOf(folder / fs::path(std::string(table.field(row, "file")))));
    return files;
}

Collection::Edit editOf(std::string_view before, std::string_view after) {
    const auto first = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    const auto at = first.first - before.begin();
    const auto last = std::mismatch(before.rbegin(), before.rend() - at, after.rbegin(), after.rend() - at);
    return {.at = static_cast<std::size_t>(at),
            .removed = {first.first, last.first.base()},
            .added = {first.second, last.second.base()},
            .table = sha256(std::string(after)),
            .moved = {}};
}

// Reads the table, which must have the class.
ExampleTable readWithClass(const Collection& collection, const std::string& label) {
    ExampleTable read = readExamples(collection.table());
    if (hasClass(read, label)) return read;
    throw Error(
        fmt::format("{}: has no class \"{}\"; it may have been renamed or forgotten by another program",
                    displayName(collection.folder()), printable(label)));
}

// Why a label of the clip can be no class's name, else "".
std::string unusableLabel(const training::FoundClip& clip) {
    for (const auto& label : clip.labels)
        if (std::string why = validName(label); !why.empty()) return why;
    return {};
}

// A row for each sound of the clip, or one for all of it.
// spellings: of labels, as the table has them.
void appendClip(ExampleTable& table, const training::FoundClip& clip, const std::string& written,
                std::map<std::string, std::string>& spellings) {
    const auto spelling = [&](const std::string& label) {
        const auto [known, isNew] = spellings.try_emplace(label);
        if (isNew) known->second = spelled(label, table);
        return known->second;
    };
    const auto append = [&](const std::string& onset, const std::string& offset, const std::string& label) {
        appendRow(table, {{"file", written},
                          {"onset", onset},
                          {"offset", offset},
                          {"label", label},
                          {"group", clip.group == clip.where ? std::string() : clip.group},
                          {"source_type", sourceType(clip.kind)},
                          {"licence", clip.licence},
                          {"author", clip.author}});
    };
    if (clip.spans.empty()) {
        std::string labels;
        for (const auto& label : clip.labels) labels += (labels.empty() ? "" : ";") + spelling(label);
        append({}, {}, labels);
    }
    for (const auto& span : clip.spans)
        append(secondsText(span.onset), secondsText(span.offset), spelling(span.label));
}

} // namespace

std::string validName(std::string_view name) {
    constexpr std::size_t maxCharacters = 100;
    constexpr std::size_t maxBytes = 200; // training shortens longer labels
    name = trimmed(name);
    if (name.empty()) return "A class needs a name: say what the sound is.";
    std::size_t characters = 0;
    for (std::string_view rest = name; !rest.empty(); ++characters)
        if (!takeCharacter(rest).code) return "This name is not text in UTF-8: type it again.";
    if (characters > maxCharacters || name.size() > maxBytes)
        return fmt::format("This name is too long: use {} characters at most.", maxCharacters);
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

void Collection::reload() { take(readExamples(table())); }

void Collection::complain(int line, std::string what) {
    problems_.push_back({fmt::format("{}, line {}", displayName(table().filename()), line), std::move(what)});
}

// before: the table's text
void Collection::write(const ExampleTable& changed, const std::string& before) {
    const std::string text = checkedText(changed, table());
    writeWholeFile(table(), text);
    lastEdit_ = editOf(before, text);
    take(ExampleTable(text));
}

// A clip that cannot be moved stays where it is, without a row.
void Collection::moveAway(const std::set<fs::path>& clips) {
    const fs::path forgotten = folder_ / "forgotten";
    if (!clips.empty()) makeFolder(forgotten);
    for (const fs::path& file : clips) {
        fs::path place = forgotten / file.filename();
        if (isThere(place)) place = freePath(forgotten, file.stem().string(), file.extension().string());
        if (!platform::rename(file, place)) failToWrite(place, errno);
        lastEdit_.moved.emplace_back(file, place);
    }
}

void Collection::revert(const Edit& edit) {
    const ChangeLock lock(folder_);
    const ExampleTable present = readExamples(table());
    const std::string before = present.text();
    std::string text = before;
    bool changed = sha256(before) != edit.table;
    for (const auto& [from, to] : edit.moved) changed = changed || isThere(from) || !isThere(to);
    if (changed)
        throw Error(
            displayName(folder_) +
            ": these examples were changed elsewhere in the meantime, so nothing was undone or redone");
    text.replace(edit.at, edit.added.size(), edit.removed);
    for (const auto& [from, to] : edit.moved)
        if (!platform::rename(to, from)) failToWrite(from, errno);
    const ExampleTable next(text);
    auto dropped = filesOf(present, folder_);
    for (const auto& file : filesOf(next, folder_)) dropped.erase(file);
    const fs::path home = identityOf(folder_);
    std::erase_if(dropped, [&](const fs::path& file) {
        const fs::path own = within(home, file);
        return own.empty() || *own.begin() != "clips" || !isThere(file);
    });
    write(next, before);
    moveAway(dropped);
}

void Collection::take(const ExampleTable& read) {
    examples_.clear();
    written_.clear();
    problems_.clear();
    std::map<std::string, std::string> spellings; // by lower case
    StoredNames stored;
    for (std::size_t row = 0; row < read.rows(); ++row) takeRow(read, row, stored, spellings);
}

void Collection::takeRow(const ExampleTable& read, std::size_t row, StoredNames& stored,
                         std::map<std::string, std::string>& spellings) {
    const int line = read.line(row);
    if (read.openQuote(row) > 0)
        return complain(read.openQuote(row),
                        "a quotation mark is not closed there, and takes in the rows after it; close it");
    const std::string name(read.field(row, "file"));
    if (name.empty()) return complain(line, "names no file; the row is not counted");
    if (isScenery(read, row)) return;
    Example example;
    example.file = stored.find(folder_ / fs::path(name)).value_or(folder_ / fs::path(name));
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
        const auto span = training::parseSpan(onset, offset);
        if (!span.problem.empty()) return complain(line, span.problem + "; the row is not counted");
        example.onset = span.onset;
        example.offset = span.offset;
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
        throw Error(fmt::format("\"{}\": no sound is marked; mark a stretch first", printable(wish)));

    makeFolder(folder_);
    const ChangeLock lock(folder_);
    ExampleTable changed = readExamples(table());
    const std::string before = changed.text();
    const std::string name = spelled(std::string(wish), changed);
    const fs::path clip = newClip(folder_ / "clips", counter ? "not " + name : name);
    const std::string written = "clips/" + clip.filename().string();
    appendRow(changed, {{"file", written},
                        {counter ? "not_onset" : "onset", secondsText(onset)},
                        {counter ? "not_offset" : "offset", secondsText(offset)},
                        {counter ? "not" : "label", name},
                        {"group", std::string(trimmed(example.group))},
                        {"source_type", "sound"},
                        {"licence", std::string(trimmed(example.licence))},
                        {"author", std::string(trimmed(example.author))}});
    const std::string text = checkedText(changed, table());
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
    lastEdit_ = editOf(before, text);
    take(ExampleTable(text));
    Example added;
    for (std::size_t i = 0; i < examples_.size(); ++i)
        if (written_[i] == written) added = examples_[i];
    return added;
}

std::size_t Collection::addFolder(const fs::path& source) {
    const fs::path home = identityOf(folder_);
    std::error_code unknown;
    const bool isTable = fs::is_regular_file(source, unknown);
    if (identityOf(source) != home && !isTable && isThere(source / "examples.csv"))
        throw Error(displayName(source) +
                    ": is a collection of examples itself; choose it as the folder of examples instead");
    std::vector<training::FoundClip> found;
    std::vector<training::Problem> problems;
    if (isTable)
        training::readClipTable(training::RecordingFinder(source), found, problems);
    else
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
    ExampleTable changed = readExamples(table());
    const std::string before = changed.text();
    std::set<fs::path> known = filesOf(changed, folder_);
    std::size_t count = 0;
    std::map<std::string, std::string> spellings;
    for (const auto& clip : found) {
        if (const std::string why = unusableLabel(clip); !why.empty()) {
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
        appendClip(changed, clip, written, spellings);
        ++count;
    }
    if (count > 0)
        write(changed, before);
    else {
        lastEdit_ = editOf(before, before);
        take(changed);
    }
    problems_.insert(problems_.end(), std::make_move_iterator(problems.begin()),
                     std::make_move_iterator(problems.end()));
    return count;
}

void Collection::rename(const std::string& label, const std::string& name) {
    requireName(name);
    readWithClass(*this, label); // a folder that is not there is not made
    const ChangeLock lock(folder_);
    ExampleTable changed = readWithClass(*this, label);
    const std::string before = changed.text();
    renameClass(changed, label, name);
    write(changed, before);
}

void Collection::forget(const std::string& label) {
    readWithClass(*this, label);
    const ChangeLock lock(folder_);
    ExampleTable changed = readWithClass(*this, label);
    const std::string before = changed.text();
    std::set<fs::path> dropped;
    for (const auto& file : removeClass(changed, label)) dropped.insert(identityOf(folder_ / fs::path(file)));
    for (const auto& file : filesOf(changed, folder_)) dropped.erase(file);
    const fs::path home = identityOf(folder_), csv = identityOf(table());
    std::erase_if(dropped, [&](const fs::path& file) {
        const fs::path own = within(home, file);
        std::error_code ignored;
        return own.empty() || *own.begin() == "forgotten" || file == csv ||
               !fs::is_regular_file(file, ignored);
    });
    write(changed, before);
    moveAway(dropped);
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
        logCaught("reading an example's length");
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
