#include "Core/Batch/Merge.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Batch/JournalFacts.h"
#include "Core/Batch/Shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
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
        if (!shard || !fs::exists(Journal::fileIn(folder), failure))
            throw Error(displayName(folder) +
                        ": is no shard's folder (shard-0-of-4 and so on, made by analyze --shard)");
        shards.push_back(std::make_unique<OpenShard>(folder, *shard));
    }
    std::ranges::sort(shards, {}, [](const auto& shard) { return shard->shard.index; });
    return shards;
}

std::string rerun(const Shard& shard) {
    return fmt::format("run it again with --shard {}/{}", shard.index, shard.count);
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
            throw Error(fmt::format("{} and {} belong to different divisions; merge one at a time",
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
    for (const auto& shard : shards) {
        checkComplete(*shard);
        const auto other = shard->journal.fingerprint();
        if (other != fingerprint)
            throw Error(fmt::format("{}: was made otherwise than {} ({}); run one of them again",
                                    displayName(shard->folder), displayName(first.folder),
                                    differences(fingerprint, other)));
        if (shard->plan.list != first.plan.list || shard->plan.total != first.plan.total)
            throw Error(fmt::format("{}: knew other recordings than {} ({} and {} in all); {}",
                                    displayName(shard->folder), displayName(first.folder), shard->plan.total,
                                    first.plan.total, rerun(shard->shard)));
        const auto others = factsOf(shard->journal);
        if (others.suffixes != facts.suffixes || others.joined != facts.joined)
            throw Error(fmt::format("{}: was asked for other formats than {}; {} and the same formats",
                                    displayName(shard->folder), displayName(first.folder),
                                    rerun(shard->shard)));
    }
}

void bring(const fs::path& from, const fs::path& to) {
    WholeFile file(to, WholeFile::MissingFolders::made);
    file.takeFrom(from);
    file.commit();
}

void bringFiles(const OpenShard& shard, const JournalEntry& entry, const std::vector<std::string>& suffixes,
                const fs::path& folder) {
    for (const std::string& suffix : suffixes) {
        const fs::path from = outputFile(shard.folder, entry.name, suffix);
        const fs::path to = outputFile(folder, entry.name, suffix);
        if (entry.result) {
            if (!fs::exists(from)) throw Error(displayName(from) + ": is missing; " + rerun(shard.shard));
            bring(from, to);
        } else {
            std::error_code notThere;
            fs::remove(to, notThere);
        }
    }
}

} // namespace

std::vector<fs::path> shardFoldersIn(const fs::path& folder) {
    std::vector<std::pair<int, fs::path>> found;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder, failure))
        if (const auto shard = shardOfFolder(entry.path()); shard && entry.is_directory(failure))
            found.emplace_back(shard->index, entry.path());
    std::ranges::sort(found);
    std::vector<fs::path> folders;
    folders.reserve(found.size());
    for (auto& [index, path] : found) folders.push_back(std::move(path));
    return folders;
}

MergeSummary mergeShards(const std::vector<fs::path>& folders, const fs::path& folder,
                         const std::function<bool(std::size_t done, std::size_t total)>& goOn) {
    const OpenShards shards = openAll(folders);
    if (shards.empty()) throw Error("no shards to merge; run analyze --shard 0/4 and so on first");
    checkAll(shards);
    const FolderLock lock(folder);
    Journal merged(folder);
    OpenShard& first = *shards.front();
    const JournalFacts facts = factsOf(first.journal);
    const Fingerprint fingerprint = first.journal.fingerprint();

    Plan plan{.total = first.plan.total, .list = first.plan.list, .mine = {}};
    for (const auto& shard : shards)
        plan.mine.insert(plan.mine.end(), shard->plan.mine.begin(), shard->plan.mine.end());
    std::ranges::sort(plan.mine);
    const auto entryAt = [&](const std::pair<std::size_t, std::string>& item) {
        OpenShard& shard = *shards[item.first % shards.size()];
        return *shard.journal.find(item.second);
    };

    // From here on the folder is a batch of its own, which analyze can go on with.
    merged.clear();
    merged.setFingerprint(fingerprint);
    MergeSummary summary;
    std::set<fs::path> swept;
    for (const auto& item : plan.mine) {
        if (goOn && !goOn(summary.recordings, plan.total)) return summary;
        const JournalEntry entry = entryAt(item);
        const fs::path below = outputFile(folder, entry.name, "").parent_path();
        if (swept.insert(below).second) removeTemporaries(below);
        bringFiles(*shards[item.first % shards.size()], entry, facts.suffixes, folder);
        merged.record(entry);
        ++summary.recordings;
        if (entry.result) summary.seconds += entry.result->seconds;
        if (!entry.failure.empty()) summary.failures.push_back({entry.name, entry.failure});
    }
    removeTemporaries(folder);
    for (const std::string& format : facts.joined)
        writeJoined(folder, format, {facts.model, fingerprint}, [&](const auto& add) {
            for (const auto& item : plan.mine) add(entryAt(item));
        });
    writeFailures(folder, summary.failures);
    merged.setPlan(plan);
    describe(merged, facts);
    return summary;
}

} // namespace earshot::batch
