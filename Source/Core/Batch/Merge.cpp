#include "Core/Batch/Merge.h"

#include "Core/Audio/RecordingStart.h"
#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Batch/Inputs.h"
#include "Core/Batch/Journal.h"
#include "Core/Batch/MissingDocuments.h"
#include "Core/Batch/Namesakes.h"
#include "Core/Batch/Outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

struct OpenShard {
    fs::path folder;
    Shard shard;
    FolderLock lock;
    Journal journal;
    Plan plan;

    OpenShard(const fs::path& where, Shard which)
        : folder(where)
        , shard(which)
        , lock(where)
        , journal(where)
        , plan(journal.plan()) {}
};
using OpenShards = std::vector<std::unique_ptr<OpenShard>>;

OpenShards openAll(const std::vector<fs::path>& folders) {
    OpenShards shards;
    for (const fs::path& folder : folders) {
        const auto shard = shardOfFolder(folder);
        std::error_code failure;
        if (!shard || !fs::is_regular_file(Journal::fileIn(folder), failure))
            throw Error(
                displayName(folder) +
                ": is no shard's folder; name those that analyze --shard made (shard-0-of-4 and so on)");
        shards.push_back(std::make_unique<OpenShard>(folder, *shard));
    }
    std::ranges::sort(shards, {}, [](const auto& shard) { return shard->shard.index; });
    return shards;
}

std::string rerun(const Shard& shard) {
    return fmt::format("run it again with --shard {}/{}", shard.index, shard.count);
}

// Throws Error unless the journal is consistent and names only files inside its folder. Another program may
// have written it.
void checkSense(OpenShard& shard) {
    const auto refuse = [&](const std::string& what) {
        throw Error(fmt::format("{}: its journal {}; it is damaged, or not made by Earshot: {}",
                                displayName(shard.folder), what, rerun(shard.shard)));
    };
    const auto checkName = [&](const std::string& name) {
        if (!staysInside(name))
            refuse("names " + printable(name) + ", which is no recording inside the folder");
    };
    const auto count = static_cast<std::size_t>(shard.shard.count);
    for (const auto& [position, name] : shard.plan.mine) {
        checkName(name);
        if (position >= shard.plan.total || position % count != static_cast<std::size_t>(shard.shard.index))
            refuse(fmt::format("assigns recording {} of {} to this shard", position, shard.plan.total));
    }
    for (const auto& [name, brief] : shard.journal.recordings()) checkName(name);
    const auto facts = factsOf(shard.journal);
    for (const std::string& suffix : facts.suffixes)
        if (!isSuffixOfResults(suffix)) refuse("names results *" + printable(suffix));
    for (const std::string& format : facts.joined)
        if (!isJoinedFormat(format)) refuse("names the format " + printable(format));
}

void checkComplete(OpenShard& shard) {
    const auto known = shard.journal.recordings();
    const auto missing = std::ranges::count_if(
        shard.plan.mine, [&](const auto& item) { return known.count(item.second) == 0; });
    if (missing > 0 || shard.plan.list.empty())
        throw Error(fmt::format("{}: is not finished, {} of its {} recordings are missing; {}",
                                displayName(shard.folder), missing, shard.plan.mine.size(),
                                rerun(shard.shard)));
}

void checkAll(const OpenShards& shards) {
    OpenShard& first = *shards.front();
    std::set<int> indices;
    for (const auto& shard : shards) {
        if (shard->shard.count != first.shard.count)
            throw Error(
                fmt::format("{} and {} belong to different numbers of shards; merge one batch at a time",
                            displayName(first.folder), displayName(shard->folder)));
        if (!indices.insert(shard->shard.index).second)
            throw Error(displayName(shard->folder) + ": this shard is named twice; name each once");
    }
    for (int index = 0; index < first.shard.count; ++index)
        if (indices.count(index) == 0)
            throw Error(fmt::format("shard {} of {} is missing; {}, or name its folder", index,
                                    first.shard.count, rerun({index, first.shard.count})));
    const auto fingerprint = first.journal.fingerprint();
    const auto facts = factsOf(first.journal);
    for (const auto& shard : shards) checkSense(*shard);
    std::size_t planned = 0;
    for (const auto& shard : shards) {
        checkComplete(*shard);
        planned += shard->plan.mine.size();
        const auto other = shard->journal.fingerprint();
        if (!sameResults(other, fingerprint))
            throw Error(fmt::format("{}: was made with other settings than {} ({}); run one of them again",
                                    displayName(shard->folder), displayName(first.folder),
                                    differences(fingerprint, other)));
        if (shard->plan.list != first.plan.list || shard->plan.total != first.plan.total)
            throw Error(fmt::format("{}: knew other recordings than {} ({} and {} in all); {}",
                                    displayName(shard->folder), displayName(first.folder), shard->plan.total,
                                    first.plan.total, rerun(shard->shard)));
        const auto others = factsOf(shard->journal);
        if (others.documents != documentsVersion)
            throw Error(fmt::format("{}: was made by another version of Earshot; {}",
                                    displayName(shard->folder), rerun(shard->shard)));
        if (others.zone != facts.zone)
            throw Error(fmt::format("{}: has another time zone than {}; {} and the same --time-zone",
                                    displayName(shard->folder), displayName(first.folder),
                                    rerun(shard->shard)));
        if (others.suffixes != facts.suffixes || others.joined != facts.joined)
            throw Error(fmt::format("{}: has other formats than {}; {} and the same formats",
                                    displayName(shard->folder), displayName(first.folder),
                                    rerun(shard->shard)));
    }
    if (planned != first.plan.total)
        throw Error(fmt::format("{}: its plan has {} recordings, and the shards have {}; run them again",
                                displayName(first.folder), first.plan.total, planned));
}

bool haveSameBytes(const fs::path& one, const fs::path& other) {
    std::error_code failure;
    if (fs::equivalent(one, other, failure)) return true;
    if (fs::file_size(one, failure) != fs::file_size(other, failure) || failure) return false;
    std::ifstream a(one, std::ios::binary), b(other, std::ios::binary);
    const std::istreambuf_iterator<char> end;
    return std::equal(std::istreambuf_iterator<char>(a), end, std::istreambuf_iterator<char>(b), end) && a &&
           b;
}

// A recording of the merged batch and its shard.
struct Item {
    std::string name;
    OpenShard* shard = nullptr;

    JournalEntry entry() const {
        auto found = shard->journal.find(name);
        if (!found)
            throw Error(fmt::format("{}: does not know {} any more; {}", displayName(shard->folder),
                                    printable(name), rerun(shard->shard)));
        return *std::move(found);
    }
    fs::path from(const std::string& suffix) const { return outputFile(shard->folder, name, suffix); }
};

// Returns the recordings of the plans and others whose results the shards have although their inputs do not
// name them, sorted by name. Fills `missing` with those of the latter that are gone.
std::vector<Item> itemsOf(const OpenShards& shards, std::vector<std::string>& missing) {
    std::map<std::string, OpenShard*> owners;
    for (const auto& shard : shards)
        for (const auto& [position, name] : shard->plan.mine) owners.emplace(name, shard.get());
    for (const auto& shard : shards)
        for (const char* list : {"missing", "unnamed"})
            for (const std::string& name : shard->journal.list(list))
                if (shard->journal.find(name) && owners.emplace(name, shard.get()).second &&
                    list == std::string_view("missing"))
                    missing.push_back(name);
    std::ranges::sort(missing);
    std::vector<Item> items;
    items.reserve(owners.size());
    for (const auto& [name, shard] : owners) items.push_back({name, shard});
    return items;
}

// Throws Error if results of different recordings would have the same file name.
void checkCollisions(const std::vector<Item>& items, const JournalFacts& facts, const fs::path& folder) {
    std::set<fs::path> files = {failuresFile(folder)};
    for (const std::string& format : facts.joined) files.insert(joinedFile(folder, format));
    for (const Item& item : items)
        for (const std::string& suffix : facts.suffixes)
            if (const fs::path file = outputFile(folder, item.name, suffix); !files.insert(file).second)
                throw Error(displayName(file) +
                            ": two results would have this name; rename one of the recordings");
}

// Returns the files that the merge writes. A recording's file that already has the right bytes is left out,
// because replacing it changes nothing.
std::vector<fs::path> wantedFiles(const std::vector<Item>& items, const JournalFacts& facts,
                                  const fs::path& folder) {
    std::vector<fs::path> files = {failuresFile(folder)};
    for (const std::string& format : facts.joined) files.push_back(joinedFile(folder, format));
    for (const Item& item : items)
        for (const std::string& suffix : facts.suffixes)
            if (const fs::path to = outputFile(folder, item.name, suffix);
                !haveSameBytes(item.from(suffix), to))
                files.push_back(to);
    return files;
}

void checkNames(const std::map<std::string, Journal::Summary>& known, const std::vector<Item>& items,
                const OpenShards& shards, const fs::path& folder) {
    std::map<const OpenShard*, std::map<std::string, Journal::Summary>> briefs;
    for (const auto& shard : shards) briefs[shard.get()] = shard->journal.recordings();
    std::vector<NamedFile> files;
    for (const Item& item : items)
        if (const auto brief = briefs.at(item.shard).find(item.name); brief != briefs.at(item.shard).end())
            files.push_back({item.name, brief->second.base, brief->second.stamp});
    refuseNamesakes(known, files, false, folder, "");
}

std::vector<std::string> rootsOf(const OpenShards& shards) {
    std::set<std::string> roots;
    for (const auto& shard : shards)
        for (std::string& root : shard->journal.list("roots")) roots.insert(std::move(root));
    return {roots.begin(), roots.end()};
}

void bringFiles(const Item& item, const JournalEntry& entry, const std::vector<std::string>& suffixes,
                const fs::path& folder, Targets& targets) {
    std::vector<fs::path> placed;
    std::vector<WholeFile> files;
    for (const std::string& suffix : suffixes) {
        const fs::path from = item.from(suffix);
        const fs::path to = outputFile(folder, item.name, suffix);
        placed.push_back(to);
        if (!entry.result) continue;
        std::error_code failure;
        if (!fs::exists(from, failure))
            throw Error(displayName(from) + ": is missing; " + rerun(item.shard->shard));
        if (haveSameBytes(from, to)) targets.adopt(to);
        files.emplace_back(to, WholeFile::MissingFolders::made).takeFrom(from);
    }
    if (!entry.result) return targets.remove(placed);
    targets.claim(placed);
    WholeFile::commit(files);
}

} // namespace

std::vector<fs::path> shardFoldersIn(const fs::path& folder) {
    std::vector<std::pair<int, fs::path>> found;
    std::error_code failure, notThere;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure))
        if (const auto shard = shardOfFolder(entry->path()); shard && entry->is_directory(notThere))
            found.emplace_back(shard->index, entry->path());
    if (failure)
        throw UnreachableError(displayName(folder) + ": cannot be read (" + failure.message() +
                               "); check its name and permissions");
    std::ranges::sort(found);
    std::vector<fs::path> folders;
    folders.reserve(found.size());
    for (auto& [index, path] : found) folders.push_back(std::move(path));
    return folders;
}

MergeSummary mergeShards(const std::vector<fs::path>& folders, const fs::path& folder,
                         const std::function<bool(std::size_t done, std::size_t total)>& proceed,
                         bool overwrite) {
    const OpenShards shards = openAll(folders);
    if (shards.empty()) throw Error("no shards to merge; run analyze --shard 0/4 and so on first");
    checkAll(shards);
    OpenShard& first = *shards.front();
    const JournalFacts facts = factsOf(first.journal);
    const audio::Starts starts{.zone =
                                   facts.zone.empty() ? std::nullopt : std::optional<TimeZone>(facts.zone)};
    const Fingerprint fingerprint = first.journal.fingerprint();
    std::vector<std::string> missing;
    const std::vector<Item> items = itemsOf(shards, missing);
    checkCollisions(items, facts, folder);

    const auto wanted = wantedFiles(items, facts, folder);
    std::error_code notThere;
    if (!overwrite && !fs::exists(Journal::fileIn(folder), notThere)) refuseOthersInNewFolder(wanted);
    const FolderLock lock(folder);
    Journal merged(folder);
    Targets targets(merged, folder, overwrite);
    targets.refuseOthers(wanted);

    // From here on, the folder is a batch without shards, which `earshot analyze` can continue.
    auto suffixes = merged.allSuffixes();
    suffixes.insert(facts.suffixes.begin(), facts.suffixes.end());
    merged.setAllSuffixes(suffixes);
    auto otherSuffixes = suffixes; // of formats that the shards do not have
    for (const std::string& suffix : facts.suffixes) otherSuffixes.erase(suffix);
    const auto before = merged.recordings();
    checkNames(before, items, shards, folder);
    const bool sameSettings = sameResults(merged.fingerprint(), fingerprint);
    std::set<std::string> former;
    for (std::string& name : merged.list("former")) former.insert(std::move(name));
    for (const auto& [name, brief] : before)
        if (brief.heard) former.insert(name);
    merged.setList("former", {former.begin(), former.end()});
    merged.clear();
    merged.setFingerprint(fingerprint);
    MergeSummary summary;
    std::set<fs::path> swept;
    std::vector<std::string> names;
    for (const Item& item : items) {
        if (proceed && !proceed(summary.recordings, items.size())) return summary;
        const JournalEntry entry = item.entry();
        const fs::path below = outputFile(folder, item.name, "").parent_path();
        if (swept.insert(below).second) removeTemporaries(below);
        bringFiles(item, entry, facts.suffixes, folder, targets);
        if (const auto old = before.find(item.name);
            !sameSettings || old == before.end() || old->second.stamp != entry.stamp)
            targets.remove(filesOf(folder, item.name, otherSuffixes));
        merged.record(entry);
        former.erase(item.name);
        names.push_back(item.name);
        ++summary.recordings;
        if (entry.result) summary.seconds += entry.result->seconds;
    }
    removeTemporaries(folder);
    for (const std::string& format : facts.joined)
        writeJoined(
            folder, format, {facts.model, fingerprint, topCount(facts.joined)},
            [&](const auto& add) {
                for (const Item& item : items) {
                    auto entry = item.entry();
                    showStart(entry, starts);
                    add(entry);
                }
            },
            targets);
    summary.failures = failuresOf(merged, names, missing);
    writeFailures(folder, summary.failures, targets);

    Plan plan{.total = first.plan.total, .list = first.plan.list, .mine = {}};
    for (const auto& shard : shards)
        plan.mine.insert(plan.mine.end(), shard->plan.mine.begin(), shard->plan.mine.end());
    std::ranges::sort(plan.mine);
    merged.setPlan(plan);
    merged.setList("missing", missing);
    merged.setList("former", {former.begin(), former.end()});
    merged.setList("roots", rootsOf(shards));
    merged.setList("restarting", {});
    describe(merged, facts);
    return summary;
}

} // namespace earshot::batch
