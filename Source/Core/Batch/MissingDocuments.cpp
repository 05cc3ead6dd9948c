#include "Core/Batch/MissingDocuments.h"

#include "Core/Base/WholeFile.h"

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

} // namespace earshot::batch
