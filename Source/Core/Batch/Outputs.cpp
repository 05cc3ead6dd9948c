#include "Core/Batch/Outputs.h"

#include "Core/Audio/FileKinds.h"
#include "Core/Base/Csv.h"
#include "Core/Base/Error.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Batch/Inputs.h"
#include "Core/Formats/TopDocuments.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

class DocumentWriter : public OutputWriter {
  public:
    DocumentWriter(WholeFile& file, const formats::EventFormat& format)
        : file_(file)
        , format_(format) {}

    void finish(const formats::RecordingEvents& recording) override {
        const auto document = format_.makeDocument({});
        file_.write(document->begin());
        file_.write(document->add(recording));
        file_.write(document->end());
    }

  private:
    WholeFile& file_;
    const formats::EventFormat& format_;
};

class DocumentKind : public OutputKind {
  public:
    explicit DocumentKind(const formats::EventFormat& format)
        : format_(format) {}

    std::string suffix() const override { return std::string(format_.suffix); }
    bool needsAudio() const override { return false; }
    std::unique_ptr<OutputWriter> write(WholeFile& file) const override {
        return std::make_unique<DocumentWriter>(file, format_);
    }

  private:
    const formats::EventFormat& format_;
};

const std::string sqlite = "sqlite";

void joinDocuments(WholeFile& file, formats::ResultDocument& document, const EachRecording& all) {
    file.write(document.begin());
    all([&](const JournalEntry& entry) {
        if (entry.result) file.write(document.add(*entry.result));
    });
    file.write(document.end());
}

struct TopFile {
    int count = 0;
    std::string document; // "csv"
};

// "top3.csv"
std::optional<TopFile> parseTopFormat(const std::string& name) {
    const auto dot = name.find('.');
    if (!name.starts_with("top") || dot == std::string::npos) return std::nullopt;
    for (int count = 1; count <= formats::maxTopSounds; ++count)
        if (TopFile file{count, name.substr(dot + 1)};
            topFormat(count, file.document) == name && formats::makeTopDocument(file.document, count))
            return file;
    return std::nullopt;
}

void joinInDatabase(const WholeFile& file, const BatchFacts& facts, const EachRecording& all) {
    formats::SqliteDatabase database(file.temporary(), facts.model,
                                     {facts.settings.begin(), facts.settings.end()}, file.target());
    all([&](const JournalEntry& entry) {
        formats::RecordingEvents unheard;
        unheard.file = entry.name;
        unheard.complete = false;
        database.add(entry.result ? *entry.result : unheard,
                     entry.unreachable.empty() ? entry.failure : entry.unreachable, facts.top);
    });
    database.finish();
}

} // namespace

std::shared_ptr<const OutputKind> documentKind(const formats::EventFormat& format) {
    return std::make_shared<DocumentKind>(format);
}

std::vector<std::string> joinedFormats() {
    std::vector<std::string> names;
    for (const auto& format : formats::allFormats())
        if (format.joins) names.emplace_back(format.name);
    names.push_back(sqlite);
    return names;
}

std::string topFormat(int count, const std::string& document) {
    return fmt::format("top{}.{}", count, document);
}

int topCount(std::span<const std::string> joined) {
    int most = 0;
    for (const std::string& name : joined)
        if (const auto file = parseTopFormat(name)) most = std::max(most, file->count);
    return most;
}

bool isJoinedFormat(const std::string& name) {
    return parseTopFormat(name) || std::ranges::count(joinedFormats(), name) > 0;
}

fs::path joinedFile(const fs::path& folder, const std::string& format) {
    if (const auto top = parseTopFormat(format)) return folder / ("top." + top->document);
    const auto* const document = formats::formatNamed(format);
    return folder / ("events" + (document != nullptr ? std::string(document->suffix) : "." + format));
}

void writeJoined(const fs::path& folder, const std::string& format, const BatchFacts& facts,
                 const EachRecording& all, Targets& targets) {
    WholeFile file(joinedFile(folder, format));
    if (const auto top = parseTopFormat(format)) {
        joinDocuments(file, *formats::makeTopDocument(top->document, top->count), all);
    } else if (const auto* const document = formats::formatNamed(format)) {
        joinDocuments(file, *document->makeDocument({}), all);
    } else {
        joinInDatabase(file, facts, all);
    }
    targets.claim({&file.target(), 1});
    file.commit();
}

std::vector<Failure> failuresOf(Journal& journal, const std::vector<std::string>& names,
                                const std::vector<std::string>& missing) {
    std::vector<Failure> failures;
    const auto problems = journal.problems();
    for (const std::string& name : names) {
        const auto entry = problems.find(name);
        if (std::ranges::binary_search(missing, name))
            failures.push_back({name,
                                printable(name) +
                                    ": is gone, and not among the recordings; its results stay until "
                                    "--forget-missing",
                                true});
        else if (entry != problems.end() && !entry->second.unreachable.empty())
            failures.push_back({name, entry->second.unreachable, true});
        else if (entry != problems.end())
            failures.push_back({name, entry->second.failure, false});
    }
    return failures;
}

fs::path failuresFile(const fs::path& folder) { return folder / "failed.csv"; }

void writeFailures(const fs::path& folder, const std::vector<Failure>& failures, Targets& targets) {
    const fs::path file = failuresFile(folder);
    if (failures.empty()) return targets.remove({&file, 1});
    std::string csv = "file,error\n";
    for (const Failure& failure : failures)
        csv += csvField(failure.name) + "," + csvField(failure.message) + "\n";
    targets.claim({&file, 1});
    writeWholeFile(file, csv);
}

namespace {

class ActivationFile : public OutputWriter {
  public:
    explicit ActivationFile(std::unique_ptr<detection::ActivationWriter> writer)
        : writer_(std::move(writer)) {}

    detection::ColumnObserver* observer() override { return writer_.get(); }
    void finish(const formats::RecordingEvents& recording) override {
        writer_->finish({.name = recording.file,
                         .seconds = recording.seconds,
                         .sampleRate = recording.sampleRate,
                         .channels = recording.channels,
                         .complete = recording.complete,
                         .start = recording.start,
                         .folder = recording.folder});
    }

  private:
    std::unique_ptr<detection::ActivationWriter> writer_;
};

class ActivationOutput : public OutputKind {
  public:
    ActivationOutput(detection::ActivationKind kind, detection::ActivationInfo info)
        : kind_(kind)
        , info_(std::move(info)) {}

    std::string suffix() const override { return detection::suffix(kind_); }
    bool needsAudio() const override { return true; }
    std::unique_ptr<OutputWriter> write(WholeFile& file) const override {
        return std::make_unique<ActivationFile>(detection::makeActivationWriter(kind_, file, info_));
    }

  private:
    detection::ActivationKind kind_;
    detection::ActivationInfo info_;
};

} // namespace

std::shared_ptr<const OutputKind> activationOutput(detection::ActivationKind kind,
                                                   detection::ActivationInfo info) {
    return std::make_shared<ActivationOutput>(kind, std::move(info));
}

namespace fs = std::filesystem;

namespace {

constexpr std::size_t maxNameLength = 255; // bytes, the limit of nearly all file systems
constexpr std::size_t hashDigits = 16;
constexpr std::size_t maxNamed = 5; // files in a message

std::string shortened(const std::string& name, const std::string& recording, const std::string& suffix) {
    std::size_t kept = maxNameLength - suffix.size() - hashDigits - 1;
    // Do not cut within a UTF-8 character.
    while (kept > 0 && continuesCharacter(name[kept])) --kept;
    return name.substr(0, kept) + '~' + sha256(recording).substr(0, hashDigits) + suffix;
}

bool isThere(const fs::path& file) {
    std::error_code failure;
    return fs::exists(fs::symlink_status(file, failure));
}

void refuse(std::span<const fs::path> wanted, const std::function<bool(const fs::path&)>& isOthers) {
    std::string named;
    std::size_t others = 0;
    for (const fs::path& file : wanted) {
        if (!isThere(file) || !isOthers(file)) continue;
        if (++others <= maxNamed) named += (others > 1 ? ", " : "") + displayName(file);
    }
    if (others == 0) return;
    if (others > maxNamed) named += fmt::format(" and {} more", others - maxNamed);
    throw Error(fmt::format("{}: {} there and not made by Earshot in this folder; choose another folder, or "
                            "--overwrite to replace {}",
                            named, others == 1 ? "is" : "are", others == 1 ? "it" : "them"));
}

} // namespace

bool staysInside(const std::string& name) {
    const fs::path path(name);
    if (name.empty() || path.is_absolute() || name.find('\0') != std::string::npos) return false;
    if (path.lexically_normal().generic_string() != name || !path.has_filename()) return false;
    for (const fs::path& part : path)
        if (part == ".." || part == "." || part == ".earshot") return false;
    return true;
}

bool isSuffixOfResults(const std::string& suffix) {
    return suffix.size() > 1 && suffix.starts_with('.') && suffix.find('/') == std::string::npos &&
           staysInside("name" + suffix) && !audio::hasAudioExtension("name" + suffix);
}

fs::path outputFile(const fs::path& folder, const std::string& recording, const std::string& suffix) {
    if (!staysInside(recording) || suffix.find('/') != std::string::npos)
        throw Error(printable(recording) +
                    ": is no name of a recording inside the folder of results; name its folder instead");
    const fs::path path(recording);
    const std::string name = path.filename().string();
    if (name.size() + suffix.size() <= maxNameLength) return folder / (recording + suffix);
    return folder / path.parent_path() / shortened(name, recording, suffix);
}

std::vector<fs::path> filesOf(const fs::path& folder, const std::string& recording,
                              const std::set<std::string>& suffixes) {
    std::vector<fs::path> files;
    files.reserve(suffixes.size());
    for (const std::string& suffix : suffixes) files.push_back(outputFile(folder, recording, suffix));
    return files;
}

Targets::Targets(Journal& journal, fs::path folder, bool overwrite)
    : journal_(journal)
    , folder_(std::move(folder))
    , overwrite_(overwrite)
    , ours_(journal.targets()) {}

std::string Targets::key(const fs::path& file) const {
    const std::string& whole = file.native();
    const std::string& folder = folder_.native();
    // What lexically_relative() gives for a usual path, sooner.
    if (whole.size() > folder.size() + 1 && whole.starts_with(folder) && whole[folder.size()] == '/' &&
        whole.find("/.", folder.size()) == std::string::npos &&
        whole.find("//", folder.size()) == std::string::npos)
        return whole.substr(folder.size() + 1);
    return file.lexically_relative(folder_).generic_string();
}

// A link never counts as Earshot's, even under a claimed name, because it may lead anywhere.
bool Targets::isOthers(const fs::path& file) const {
    std::error_code failure;
    return ours_.count(key(file)) == 0 || fs::is_symlink(fs::symlink_status(file, failure));
}

void Targets::refuseOthers(std::span<const fs::path> wanted) const {
    if (!overwrite_) refuse(wanted, [this](const fs::path& file) { return isOthers(file); });
}

void Targets::claim(std::span<const fs::path> files) {
    std::vector<std::string> fresh;
    for (const fs::path& file : files) {
        if (!overwrite_ && isThere(file) && isOthers(file))
            throw WriteError(
                displayName(file) +
                ": is there and not made by Earshot in this folder; move it away, or --overwrite");
        if (ours_.count(key(file)) == 0) fresh.push_back(key(file));
    }
    if (fresh.empty()) return;
    journal_.addTargets(fresh);
    ours_.insert(fresh.begin(), fresh.end());
}

void Targets::adopt(const fs::path& file) {
    const std::string name = key(file);
    if (!ours_.insert(name).second) return;
    journal_.addTargets({&name, 1});
}

void Targets::remove(std::span<const fs::path> files) {
    std::vector<std::string> gone;
    for (const fs::path& file : files) {
        // Another program may have written the journal, so its claims may name files outside the folder.
        if (ours_.count(key(file)) == 0 || !staysInside(key(file))) continue;
        std::error_code failure;
        if (!fs::is_symlink(fs::symlink_status(file, failure))) fs::remove(file, failure);
        if (failure) continue;
        gone.push_back(key(file));
    }
    if (gone.empty()) return;
    journal_.removeTargets(gone);
    for (const std::string& each : gone) ours_.erase(each);
}

void removeLeftovers(const fs::path& folder, std::span<const Input> inputs, const Plan& before) {
    std::set<std::string> folders = {""};
    const auto add = [&](const std::string& name) {
        if (const auto slash = name.rfind('/'); slash != std::string::npos)
            folders.insert(name.substr(0, slash));
    };
    for (const Input& input : inputs) add(input.name);
    for (const auto& [position, name] : before.mine) add(name);
    for (const std::string& each : folders)
        if (each.empty() || staysInside(each)) removeTemporaries(folder / each);
    removeTemporaries(Journal::fileIn(folder).parent_path());
}

void refuseOthersInNewFolder(std::span<const fs::path> wanted) {
    refuse(wanted, [](const fs::path&) { return true; });
}

} // namespace earshot::batch
