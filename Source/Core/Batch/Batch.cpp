#include "Core/Batch/Batch.h"

#include "Core/Base/Error.h"
#include "Core/Base/OutputCheck.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Batch/Continuous.h"
#include "Core/Batch/Jobs.h"
#include "Core/Batch/Journal.h"
#include "Core/Batch/MissingDocuments.h"
#include "Core/Batch/Namesakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

std::string listHash(const std::vector<Input>& inputs) {
    std::string names;
    for (const Input& input : inputs) names += input.name + '\n';
    return sha256(names);
}

fs::path folderOf(const fs::path& folder, const std::optional<Shard>& shard) {
    return shard ? folder / folderName(*shard) : folder;
}

std::vector<std::string> suffixesOf(const OutputKinds& kinds) {
    std::vector<std::string> suffixes;
    for (const auto& kind : kinds) suffixes.push_back(kind->suffix());
    return suffixes;
}

using Known = std::map<std::string, Journal::Summary>;

} // namespace

std::vector<fs::path> basesOfResults(const fs::path& folder, const std::optional<Shard>& shard) {
    const fs::path place = folderOf(folder, shard);
    std::error_code notThere;
    if (!fs::is_regular_file(Journal::fileIn(place), notThere)) return {};
    const FolderLock lock(place);
    Journal journal(place);
    followFolder(journal, place);
    return journal.bases();
}

struct Batch::Impl : ResultSink {
    explicit Impl(BatchRequest given);

    void together(const std::function<void()>& changes) override { journal->together(changes); }
    void claim(std::span<const fs::path> files) override { targets->claim(files); }
    void record(const JournalEntry& entry) override;
    void recordUnreadable(const JournalEntry& entry) override;
    void noteUnreachable(const std::string& name, const std::string& why) override;
    void noteFailure(const std::string& name, const std::string& why) override;
    void notify(const JournalEntry& entry) const;

    std::vector<fs::path> resultsOf(const std::string& name) const;
    std::vector<fs::path> allTargets() const;
    void checkTargets() const;
    void refuseInputs(const std::vector<fs::path>& wanted) const;
    void open();
    void checkRoots();
    void checkNames();
    Fingerprint earlierFingerprint();
    void checkFingerprint();
    void choosePlan();
    std::set<std::string> joinedToUndone(const Known& known);
    // The journal's recordings, read once; and the journal, to change what they say.
    const Known& briefs();
    Journal& changeBriefs();
    void sortUnnamed(const Known& known);
    void setNames(const std::string& list, const std::set<std::string>& names);
    void forget(const std::string& name);
    bool isDone(const Input& input, const Known& known) const;
    JournalFacts facts(const std::string& documents) const;
    std::vector<std::string> knownNames() const;
    BatchSummary conclude(const JobReport& report);

    BatchRequest request;
    fs::path folder;
    std::vector<Input> mine; // this shard's, sorted by name
    std::optional<FolderLock> lock;
    std::optional<Journal> journal;
    std::optional<Targets> targets;
    std::optional<Known> journalled;
    bool documentsOutdated = false;
    std::vector<Work> todo;
    std::set<std::string> changed;    // those of `todo` whose earlier results, if any, are out of date
    std::vector<std::string> missing; // recordings with results that the inputs do not name and are gone
    std::vector<std::string> unnamed; // those that lie where they were, or in folders that cannot be read
    std::set<std::string> former;     // those of which only files are left, which other settings made
    std::set<std::string> suffixes;   // of all files that recordings have or had here
};

Batch::Impl::Impl(BatchRequest given)
    : request(std::move(given))
    , folder(folderOf(request.folder, request.shard)) {
    auto& recordings = request.inputs.recordings;
    sortByName(recordings);
    for (std::size_t i = 0; i < recordings.size(); ++i)
        if (!request.shard || request.shard->has(i)) mine.push_back(recordings[i]);
    checkTargets();
    open();
    checkRoots();
    checkNames();
    checkFingerprint();
    choosePlan();
}

const Known& Batch::Impl::briefs() {
    if (!journalled) journalled = journal->recordings();
    return *journalled;
}

Journal& Batch::Impl::changeBriefs() {
    journalled.reset();
    return *journal;
}

std::vector<fs::path> Batch::Impl::resultsOf(const std::string& name) const {
    const auto written = suffixesOf(request.outputs);
    return filesOf(folder, name, {written.begin(), written.end()});
}

std::vector<fs::path> Batch::Impl::allTargets() const {
    std::vector<fs::path> files = {failuresFile(folder)};
    if (!request.shard)
        for (const auto& format : request.joined) files.push_back(joinedFile(folder, format));
    for (const Input& input : mine)
        for (fs::path& file : resultsOf(input.name)) files.push_back(std::move(file));
    return files;
}

// Throws Error if two results share a file. The result of a recording without an extension ("events") could
// have the name of a joined file ("events.csv").
void Batch::Impl::checkTargets() const {
    std::set<fs::path::string_type> files = {failuresFile(folder).native()}; // paths compare slowly
    for (const auto& format : request.joined) files.insert(joinedFile(folder, format).native());
    for (const Input& input : request.inputs.recordings)
        for (const fs::path& file : resultsOf(input.name))
            if (!files.insert(file.native()).second)
                throw Error(displayName(file) + ": two results would have this name; rename the recording " +
                            displayName(input.path));
}

void Batch::Impl::refuseInputs(const std::vector<fs::path>& wanted) const {
    OutputCheck files;
    for (const fs::path& file : wanted) files.writes(file);
    for (const Input& input : request.inputs.recordings) files.reads(input.path, "a recording");
    for (const fs::path& file : request.readFiles) files.reads(file, "an input");
    if (const auto clash = files.clashWithInput())
        throw Error(
            fmt::format("{}: a result has this name, and would overwrite {} ({}); choose another folder for "
                        "results",
                        displayName(clash->output), clash->what, displayName(clash->input)));
}

// Checks a new folder for files in the way before anything is written to it, even the journal.
void Batch::Impl::open() {
    const auto wanted = allTargets();
    refuseInputs(wanted);
    std::error_code notThere;
    if (!request.overwrite && !fs::exists(Journal::fileIn(folder), notThere)) refuseOthersInNewFolder(wanted);
    lock.emplace(folder);
    journal.emplace(folder);
    followFolder(*journal, folder);
    targets.emplace(*journal, folder, request.overwrite);
    targets->refuseOthers(wanted);
    for (std::string& name : journal->list("former"))
        if (staysInside(name)) former.insert(std::move(name));
    suffixes = journal->allSuffixes();
    for (std::string& suffix : suffixesOf(request.outputs)) suffixes.insert(std::move(suffix));
    // A run without failures deletes the file, so it must count as Earshot's.
    if (request.overwrite && fs::exists(failuresFile(folder), notThere)) targets->adopt(failuresFile(folder));
}

// Throws Error if an input is a missing folder whose recordings have results. findInputs() takes such a
// folder for a recording, but only its disk may be disconnected.
void Batch::Impl::checkRoots() {
    const auto before = journal->list("roots");
    const auto bases = journal->bases();
    const Known& known = briefs();
    for (const Input& input : request.inputs.recordings) {
        std::error_code failure;
        if (known.empty() || fs::exists(input.path, failure)) continue;
        const fs::path path = tidied(input.path);
        const auto below = known.lower_bound(input.name + "/");
        const bool isRoot = std::ranges::count(before, path.string()) > 0 ||
                            std::ranges::any_of(bases, [&](const fs::path& base) {
                                return relativeTo(path, base).has_value();
                            });
        if (isRoot || (below != known.end() && below->first.starts_with(input.name + "/")))
            throw Error(
                displayName(input.path) +
                ": this folder of recordings is gone, but there are results of recordings below it; check "
                "that its disk is connected, or leave the folder out");
    }
}

void Batch::Impl::checkNames() {
    std::vector<NamedFile> files;
    files.reserve(mine.size());
    for (const Input& input : mine)
        files.push_back({input.name, request.inputs.base, FileStamp::of(input.path)});
    refuseNamesakes(briefs(), files, request.restart, folder, ", or --restart if it is the same recording");
}

// Results of a version that repeated every short recording: the shortest are analysed again, others stay.
Fingerprint Batch::Impl::earlierFingerprint() {
    Fingerprint before = journal->fingerprint();
    const auto find = [](const Fingerprint& settings) {
        return std::ranges::find(settings, shortRecordings, &Fingerprint::value_type::first);
    };
    const auto now = find(request.fingerprint);
    if (before.empty() || find(before) != before.end() || now == request.fingerprint.end()) return before;
    before.push_back(*now);
    if (!request.restart && sameResults(before, request.fingerprint))
        changeBriefs().forgetStampsBelow(detection::repeatedFrom);
    return before;
}

void Batch::Impl::checkFingerprint() {
    const Fingerprint before = earlierFingerprint();
    const bool same = sameResults(before, request.fingerprint);
    if (!request.restart && !before.empty() && !same) {
        const auto settings = differences(before, request.fingerprint);
        throw SettingsError(displayName(folder) + ": its results were made with other settings (" + settings +
                                "); --restart analyses all recordings again, or choose another folder",
                            settings);
    }
    if (request.restart && !same) {
        for (const auto& [name, brief] : briefs())
            if (brief.heard) former.insert(name);
        setNames("former", former);
        changeBriefs().clear();
    }
    if (journal->fingerprint() != request.fingerprint) journal->setFingerprint(request.fingerprint);
    // A restart that was stopped goes on.
    if (!request.restart || (same && !journal->list("restarting").empty())) return;
    if (same) changeBriefs().outdate();
    journal->setList("restarting", {"yes"});
}

void Batch::Impl::setNames(const std::string& list, const std::set<std::string>& names) {
    journal->setList(list, {names.begin(), names.end()});
}

void Batch::Impl::choosePlan() {
    const auto& recordings = request.inputs.recordings;
    Plan plan;
    plan.total = recordings.size();
    plan.list = listHash(recordings);
    for (std::size_t i = 0; i < recordings.size(); ++i)
        if (!request.shard || request.shard->has(i)) plan.mine.emplace_back(i, recordings[i].name);
    const Plan before = journal->plan();
    removeLeftovers(folder, mine, before);
    const Known& known = briefs();
    std::vector<std::string> reached;
    const auto joined = request.continuous ? joinedToUndone(known) : std::set<std::string>();
    for (const Input& input : mine) {
        const auto entry = known.find(input.name);
        const bool isHeard = entry != known.end() && entry->second.heard;
        if (!isDone(input, known) || joined.contains(input.name)) {
            todo.push_back({input, isHeard});
            if (!isHeard || entry->second.stamp != FileStamp::of(input.path)) changed.insert(input.name);
        } else if (entry->second.unreachable || entry->second.base != request.inputs.base) {
            reached.push_back(input.name);
        }
    }
    journal->noteReached(reached, request.inputs.base);
    sortUnnamed(known);
    const auto then = factsOf(*journal), now = facts(documentsVersion);
    documentsOutdated =
        !known.empty() && (then.documents != now.documents || then.zone != now.zone || then.base != now.base);
    if (plan != before) journal->setPlan(plan);
    journal->setList("missing", missing);
    journal->setList("unnamed", unnamed);
    std::vector<std::string> roots;
    for (const fs::path& root : request.inputs.folders) roots.push_back(root.string());
    journal->setList("roots", roots);
    setNames("former", former);
    journal->setAllSuffixes(suffixes);
    describe(*journal, facts(known.empty() ? documentsVersion : ""));
    journalled.reset();
}

// Recordings that have to be analysed again because one that they may join has to be.
std::set<std::string> Batch::Impl::joinedToUndone(const Known& known) {
    std::set<std::string> undone;
    for (const Input& input : mine)
        if (!isDone(input, known)) undone.insert(input.name);
    if (undone.empty()) return undone;
    return withNeighbours(
        takesOf(mine, request.starts), undone, [this](const std::string& name) -> std::optional<double> {
            const auto entry = journal->find(name);
            return entry && entry->result ? std::optional(entry->result->seconds) : std::nullopt;
        });
}

// documents: their version; empty: not all documents have it yet.
JournalFacts Batch::Impl::facts(const std::string& documents) const {
    return {.suffixes = suffixesOf(request.outputs),
            .joined = request.joined,
            .documents = documents,
            .zone = request.starts.zone ? request.starts.zone->name() : std::string(),
            .base = request.inputs.base.string(),
            .model = request.model};
}

// Sorts the recordings of earlier runs that the inputs do not name, and forgets what is to be forgotten.
void Batch::Impl::sortUnnamed(const Known& known) {
    std::set<std::string> named;
    std::map<std::string, std::string> closed; // folders, and why they cannot be read
    for (const Input& input : request.inputs.recordings) {
        named.insert(input.name); // one that belongs to another shard now is not missing
        if (input.problem) closed.emplace(input.name, *input.problem);
    }
    const auto whyHidden = [&](const std::string& name) -> const std::string* {
        for (auto end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1))
            if (const auto folder = closed.find(name.substr(0, end)); folder != closed.end())
                return &folder->second;
        return nullptr;
    };
    for (const auto& [name, brief] : known) {
        if (brief.heard) former.erase(name);
        if (named.count(name) != 0) continue;
        if (const auto* why = whyHidden(name)) {
            noteUnreachable(name, *why);
            unnamed.push_back(name);
        } else if (!brief.heard) {
            journal->forget(name);
        } else if (!brief.base.empty() && FileStamp::of(brief.base / name) != FileStamp()) {
            if (brief.unreachable) journal->noteReached({&name, 1}, brief.base);
            unnamed.push_back(name);
        } else {
            missing.push_back(name);
        }
    }
    if (!request.forgetMissing) return;
    for (const std::string& name : missing) forget(name);
    missing.clear();
    std::erase_if(former, [&](const std::string& name) {
        const bool forgotten = named.count(name) == 0 && whyHidden(name) == nullptr;
        if (forgotten) forget(name);
        return forgotten;
    });
}

void Batch::Impl::forget(const std::string& name) {
    targets->remove(filesOf(folder, name, suffixes));
    journal->forget(name);
}

bool Batch::Impl::isDone(const Input& input, const Known& known) const {
    const auto entry = known.find(input.name);
    if (entry == known.end() || entry->second.failed || !entry->second.heard || input.problem) return false;
    if (!entry->second.hasTop && topCount(request.joined) > 0) return false; // an earlier version's
    if (entry->second.outdated || entry->second.stamp != FileStamp::of(input.path)) return false;
    return std::ranges::all_of(request.outputs, [&](const auto& kind) {
        std::error_code failure;
        return !kind->needsAudio() || fs::exists(outputFile(folder, input.name, kind->suffix()), failure);
    });
}

void Batch::Impl::notify(const JournalEntry& entry) const {
    if (request.recorded) request.recorded(entry);
}

void Batch::Impl::record(const JournalEntry& entry) {
    if (changed.count(entry.name) != 0) {
        auto others = suffixes;
        for (const auto& suffix : suffixesOf(request.outputs)) others.erase(suffix);
        targets->remove(filesOf(folder, entry.name, others));
    }
    auto placed = entry;
    placed.base = request.inputs.base;
    journal->record(placed);
    notify(entry);
}

void Batch::Impl::recordUnreadable(const JournalEntry& entry) {
    journal->record(entry);
    targets->remove(filesOf(folder, entry.name, suffixes));
    notify(entry);
}

void Batch::Impl::noteUnreachable(const std::string& name, const std::string& why) {
    const auto stays = why + "; its earlier results, if any, stay";
    journal->noteUnreachable(name, stays);
    notify({.name = name, .base = {}, .stamp = {}, .failure = {}, .unreachable = stays, .result = {}});
}

void Batch::Impl::noteFailure(const std::string& name, const std::string& why) {
    journal->noteFailure(name, why);
    notify({.name = name, .base = {}, .stamp = {}, .failure = why, .unreachable = {}, .result = {}});
}

// Returns the names of all recordings in joined files, sorted.
std::vector<std::string> Batch::Impl::knownNames() const {
    std::vector<std::string> names = missing;
    names.insert(names.end(), unnamed.begin(), unnamed.end());
    for (const Input& input : mine) names.push_back(input.name);
    std::ranges::sort(names);
    return names;
}

BatchSummary Batch::Impl::conclude(const JobReport& report) {
    BatchSummary summary;
    summary.total = mine.size();
    summary.done = mine.size() - todo.size() + report.tried;
    summary.tried = report.tried;
    summary.heard = report.heard;
    summary.secondsHeard = report.secondsHeard;
    summary.secondsPassedOver = report.secondsPassedOver;
    summary.warnings = report.warnings;
    summary.stopped = report.stopped;
    if (summary.stopped) return summary;
    const auto names = knownNames();
    journal->setList("restarting", {});
    std::set<std::string> named;
    for (const Input& input : mine) named.insert(input.name);
    makeMissingDocuments(*journal, *targets, names,
                         {.folder = folder,
                          .outputs = request.outputs,
                          .starts = {.stated = request.continuous ? std::nullopt : request.starts.stated,
                                     .zone = request.starts.zone},
                          .named = std::move(named),
                          .outdated = documentsOutdated});
    describe(*journal, facts(documentsVersion));
    summary.failures = failuresOf(*journal, names, missing);
    writeFailures(folder, summary.failures, *targets);
    // mergeShards() makes the joined files of shards.
    if (request.shard) return summary;
    writeJoinedFiles(*journal, *targets, names,
                     {.folder = folder,
                      .formats = request.joined,
                      .facts = {request.model, request.fingerprint, topCount(request.joined)},
                      .starts = request.starts});
    return summary;
}

Batch::Batch(BatchRequest request)
    : impl_(std::make_unique<Impl>(std::move(request))) {}
Batch::~Batch() = default;

const fs::path& Batch::folder() const { return impl_->folder; }
std::size_t Batch::total() const { return impl_->mine.size(); }
std::size_t Batch::alreadyDone() const { return impl_->mine.size() - impl_->todo.size(); }

void Batch::eachDone(const std::function<void(const JournalEntry&)>& take) {
    auto next = impl_->todo.begin(); // in the order of `mine`
    for (const Input& input : impl_->mine) {
        if (next != impl_->todo.end() && next->input.name == input.name)
            ++next;
        else if (const auto entry = impl_->journal->find(input.name))
            take(*entry);
    }
}

BatchSummary Batch::run(const detection::Detector& detector, const Tick& tick) {
    Impl& impl = *impl_;
    const int threads = std::max(1, impl.request.threads);
    const int recordings = static_cast<int>(std::min<std::size_t>(impl.todo.size(), 1024));
    JobSettings settings;
    settings.folder = impl.folder;
    settings.base = impl.request.inputs.base;
    settings.starts = impl.request.starts;
    settings.continuous = impl.request.continuous;
    settings.outputs = impl.request.outputs;
    settings.jobs = std::max(1, std::min(impl.request.jobs.value_or(threads), recordings));
    settings.threadsEach = std::max(1, threads / settings.jobs);
    if (impl.todo.empty()) return impl.conclude({});

    Jobs jobs(std::move(settings), detector);
    const auto report = jobs.run(impl.todo, impl, [&](const JobReport& soFar, double share) {
        return !tick || tick({.done = alreadyDone() + soFar.tried,
                              .total = total(),
                              .secondsHeard = soFar.secondsHeard,
                              .share = share,
                              .hearing = soFar.hearing});
    });
    return impl.conclude(report);
}

} // namespace earshot::batch
