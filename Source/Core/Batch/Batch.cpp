#include "Core/Batch/Batch.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Base/Sha256.h"
#include "Core/Batch/Jobs.h"
#include "Core/Batch/Journal.h"
#include "Core/Batch/JournalFacts.h"

#include <algorithm>
#include <set>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

std::string listHash(const std::vector<Input>& inputs) {
    std::string names;
    for (const Input& input : inputs) names += input.name + '\n';
    return sha256(names);
}

fs::path folderOf(const BatchRequest& request) {
    return request.shard ? request.folder / folderName(*request.shard) : request.folder;
}

std::vector<std::string> suffixesOf(const OutputKinds& kinds) {
    std::vector<std::string> suffixes;
    for (const auto& kind : kinds) suffixes.push_back(kind->suffix());
    return suffixes;
}

} // namespace

struct Batch::Impl {
    explicit Impl(BatchRequest given);

    void checkTargets() const;
    void checkFingerprint();
    void choosePlan();
    void removeLeftovers(const Plan& before) const;
    bool isDone(const Input& input, const std::map<std::string, Journal::Brief>& known) const;
    void makeMissingDocuments();
    BatchSummary conclude(const JobReport& report);

    BatchRequest request;
    fs::path folder;
    FolderLock lock;
    Journal journal;
    std::vector<Input> mine; // this shard's, in order
    std::vector<Input> todo;
    std::size_t vanished = 0;
};

Batch::Impl::Impl(BatchRequest given)
    : request(std::move(given))
    , folder(folderOf(request))
    , lock(folder)
    , journal(folder) {
    sortByName(request.inputs);
    checkTargets();
    checkFingerprint();
    choosePlan();
}

// A recording without an extension could meet a joined file ("events" and "events.csv").
void Batch::Impl::checkTargets() const {
    std::set<fs::path> targets = {failuresFile(folder)};
    for (const auto& format : request.joined) targets.insert(joinedFile(folder, format));
    for (const Input& input : request.inputs)
        for (const auto& kind : request.outputs)
            if (const auto target = outputFile(folder, input.name, kind->suffix());
                !targets.insert(target).second)
                throw Error(displayName(target) +
                            ": two results would have this name; rename the recording " +
                            displayName(input.path));
}

void Batch::Impl::checkFingerprint() {
    const Fingerprint before = journal.fingerprint();
    if (request.restart) journal.clear();
    if (!request.restart && !before.empty() && before != request.fingerprint)
        throw Error(displayName(folder) + ": its results were made otherwise (" +
                    differences(before, request.fingerprint) +
                    "); --restart does all of them again, or choose another folder");
    if (request.restart || before.empty()) journal.setFingerprint(request.fingerprint);
}

void Batch::Impl::choosePlan() {
    Plan plan;
    plan.total = request.inputs.size();
    plan.list = listHash(request.inputs);
    for (std::size_t i = 0; i < request.inputs.size(); ++i) {
        if (request.shard && !request.shard->has(i)) continue;
        mine.push_back(request.inputs[i]);
        plan.mine.emplace_back(i, request.inputs[i].name);
    }
    removeLeftovers(journal.plan());
    auto known = journal.recordings();
    for (const Input& input : mine) {
        if (!isDone(input, known)) todo.push_back(input);
        known.erase(input.name);
    }
    vanished = known.size();
    journal.setPlan(plan);
    describe(journal,
             {.suffixes = suffixesOf(request.outputs), .joined = request.joined, .model = request.model});
}

// Temporary files of a run that was killed lie where this or the last one's results do.
void Batch::Impl::removeLeftovers(const Plan& before) const {
    std::set<fs::path> folders = {folder};
    for (const Input& input : mine) folders.insert(outputFile(folder, input.name, "").parent_path());
    for (const auto& [position, name] : before.mine)
        folders.insert(outputFile(folder, name, "").parent_path());
    for (const fs::path& each : folders) removeTemporaries(each);
}

bool Batch::Impl::isDone(const Input& input, const std::map<std::string, Journal::Brief>& known) const {
    const auto entry = known.find(input.name);
    if (entry == known.end() || entry->second.failed || input.problem) return false;
    if (entry->second.stamp != FileStamp::of(input.path)) return false;
    return std::ranges::all_of(request.outputs, [&](const auto& kind) {
        return !kind->needsAudio() || fs::exists(outputFile(folder, input.name, kind->suffix()));
    });
}

// Of recordings that are done: formats that are asked for only now, and files that somebody removed.
void Batch::Impl::makeMissingDocuments() {
    std::set<std::string> again;
    for (const Input& input : todo) again.insert(input.name);
    for (const Input& input : mine) {
        if (again.count(input.name) != 0) continue;
        for (const auto& kind : request.outputs) {
            const fs::path target = outputFile(folder, input.name, kind->suffix());
            if (kind->needsAudio() || fs::exists(target)) continue;
            const auto entry = journal.find(input.name);
            if (!entry || !entry->result) continue;
            WholeFile file(target, WholeFile::MissingFolders::made);
            kind->write(file, nullptr)->finish(*entry->result);
            file.commit();
        }
    }
}

BatchSummary Batch::Impl::conclude(const JobReport& report) {
    BatchSummary summary;
    summary.total = mine.size();
    summary.done = mine.size() - todo.size() + report.heard;
    summary.heard = report.heard;
    summary.secondsHeard = report.secondsHeard;
    summary.warnings = report.warnings;
    summary.vanished = vanished;
    summary.stopped = report.stopped;
    if (summary.stopped) return summary;
    for (const Input& input : mine)
        if (const auto entry = journal.find(input.name); entry && !entry->failure.empty())
            summary.failures.push_back({input.name, entry->failure});
    writeFailures(folder, summary.failures);
    // A shard's are made when all of them are merged.
    if (request.shard) return summary;
    for (const auto& format : request.joined)
        writeJoined(folder, format, {request.model, request.fingerprint}, [&](const auto& add) {
            for (const Input& input : mine)
                if (const auto entry = journal.find(input.name)) add(*entry);
        });
    return summary;
}

Batch::Batch(BatchRequest request)
    : impl_(std::make_unique<Impl>(std::move(request))) {}
Batch::~Batch() = default;

const fs::path& Batch::folder() const { return impl_->folder; }
std::size_t Batch::total() const { return impl_->mine.size(); }
std::size_t Batch::alreadyDone() const { return impl_->mine.size() - impl_->todo.size(); }

BatchSummary Batch::run(const Listening& listening, const Tick& tick) {
    Impl& impl = *impl_;
    impl.makeMissingDocuments();
    const int threads = std::max(1, impl.request.threads);
    const int recordings = static_cast<int>(std::min<std::size_t>(impl.todo.size(), 1024));
    JobSettings settings;
    settings.folder = impl.folder;
    settings.outputs = impl.request.outputs;
    settings.jobs = std::max(1, std::min(impl.request.jobs.value_or(threads), recordings));
    settings.threadsEach = std::max(1, threads / settings.jobs);
    if (impl.todo.empty()) return impl.conclude({});

    Jobs jobs(std::move(settings), listening);
    const auto report = jobs.run(
        impl.todo, [&](const JournalEntry& entry) { impl.journal.record(entry); },
        [&](const JobReport& soFar, double share) {
            return !tick || tick({.done = alreadyDone() + soFar.heard,
                                  .total = total(),
                                  .secondsHeard = soFar.secondsHeard,
                                  .share = share});
        });
    return impl.conclude(report);
}

} // namespace earshot::batch
