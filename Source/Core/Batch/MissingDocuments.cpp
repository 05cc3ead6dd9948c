#include "Core/Batch/MissingDocuments.h"

#include "Core/Base/Sha256.h"
#include "Core/Base/WholeFile.h"

#include <fmt/format.h>

#include <algorithm>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

// Returns whether the journal has a start that it did not have.
bool findStart(Journal& journal, JournalEntry& entry, const DocumentSettings& settings) {
    const bool isStated = settings.starts.stated && settings.named.contains(entry.name);
    if (!isStated && (!settings.outdated || entry.result->start || entry.base.empty())) return false;
    const auto start = isStated ? settings.starts.stated : audio::startOf(entry.base / entry.name);
    if (!start || start == entry.result->start) return false;
    journal.noteStart(entry.name, *start);
    entry.result->start = start;
    return true;
}

bool isMissing(const OutputKind& kind, const std::string& name, const DocumentSettings& settings) {
    std::error_code failure; // ignored: writing reports it
    return !kind.needsAudio() && !fs::exists(outputFile(settings.folder, name, kind.suffix()), failure);
}

void makeDocument(const OutputKind& kind, const JournalEntry& entry, Targets& targets,
                  const fs::path& target) {
    WholeFile file(target, WholeFile::MissingFolders::made);
    kind.write(file)->finish(*entry.result);
    targets.claim({&target, 1});
    file.commit();
}

// Everything that the files depend on but the recordings of the journal.
std::string settingsText(const std::vector<std::string>& names, const JoinedSettings& settings) {
    const BatchFacts& facts = settings.facts;
    std::string text = fmt::format("{}\n{}\n{}\n{}\n", documentsVersion, facts.model.file, facts.model.sha256,
                                   facts.model.licence);
    for (const auto& label : facts.model.labels) text += label + '\n';
    for (const auto& [name, value] : facts.settings) text += fmt::format("{}={}\n", name, value);
    if (settings.starts.zone) text += settings.starts.zone->name() + '\n';
    if (settings.starts.stated) text += isoText(*settings.starts.stated) + '\n';
    text += fmt::format("{}\n", facts.top);
    for (const auto& format : settings.formats) text += format + '\n';
    for (const auto& name : names) text += name + '\n';
    return sha256(text);
}

// The same with the files as they are now; empty: one is missing.
std::string stateText(const std::string& wanted, const JoinedSettings& settings) {
    std::string text = wanted;
    for (const auto& format : settings.formats) {
        const auto stamp = FileStamp::of(joinedFile(settings.folder, format));
        if (stamp == FileStamp()) return {};
        text += fmt::format(" {} {}", stamp.size, stamp.changed);
    }
    return text;
}

} // namespace

void makeMissingDocuments(Journal& journal, Targets& targets, const std::vector<std::string>& names,
                          const DocumentSettings& settings) {
    const bool all = settings.outdated || settings.starts.stated;
    for (const std::string& name : names) {
        const auto isWanted = [&](const auto& kind) { return isMissing(*kind, name, settings); };
        if (!all && std::ranges::none_of(settings.outputs, isWanted)) continue;
        auto entry = journal.find(name);
        if (!entry || !entry->result) continue;
        const bool isOutdated = findStart(journal, *entry, settings) || settings.outdated;
        showStart(*entry, settings.starts);
        for (const auto& kind : settings.outputs) {
            if (kind->needsAudio() || !(isOutdated || isWanted(kind))) continue;
            try {
                makeDocument(*kind, *entry, targets, outputFile(settings.folder, name, kind->suffix()));
            } catch (const WriteError& error) {
                if (error.reach() == WriteError::Reach::allResults) throw;
                journal.noteFailure(name, error.what());
            }
        }
    }
}

void showStart(JournalEntry& entry, const audio::Starts& starts) {
    if (entry.result) entry.result->start = starts.shown(entry.result->start);
}

void writeJoinedFiles(Journal& journal, Targets& targets, const std::vector<std::string>& names,
                      const JoinedSettings& settings) {
    const auto wanted = settingsText(names, settings);
    if (const auto now = stateText(wanted, settings); !now.empty() && journal.unchangedSince() == now) return;
    for (const auto& format : settings.formats)
        writeJoined(
            settings.folder, format, settings.facts,
            [&](const auto& add) {
                journal.each(names, [&](JournalEntry& entry) {
                    showStart(entry, settings.starts);
                    add(entry);
                });
            },
            targets);
    if (const auto now = stateText(wanted, settings); !now.empty()) journal.noteUnchanged(now);
}

} // namespace earshot::batch
