#include "Plugin/Model/ModelChoice.h"

#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Model/ModelLocator.h"
#include "Plugin/Base/UserLists.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace earshot::plugin {

namespace {

namespace fs = std::filesystem;

// Limits on the files that a search in one folder hashes.
constexpr int maxCandidates = 64;
constexpr std::uintmax_t maxHashedBytes = std::uintmax_t{1} << 30;
constexpr std::size_t maxRemade = 16; // files that are kept

bool isModelFile(const fs::path& file) {
    const fs::path extension = file.extension();
    return extension == ".safetensors" || extension == ".ckpt" || extension == ".pt" || extension == ".pth" ||
           extension == ".bin";
}

// Returns false for a file that cannot be read.
bool hasHash(const fs::path& file, const std::string& sha256, const StopToken& stop) {
    try {
        return sha256OfFile(file, stop) == sha256;
    } catch (const Error&) {
        logCaught("looking for the model of the project");
        return false;
    }
}

std::optional<fs::path> findByHash(const fs::path& folder, const std::string& sha256, const StopToken& stop) {
    std::error_code failure;
    int candidates = 0;
    std::uintmax_t bytes = 0;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        std::error_code unreadable;
        stop.check();
        if (!isModelFile(entry->path()) || !entry->is_regular_file(unreadable)) continue;
        bytes += entry->file_size(unreadable);
        if (unreadable || ++candidates > maxCandidates || bytes > maxHashedBytes) break;
        if (hasHash(entry->path(), sha256, stop)) return entry->path();
    }
    return std::nullopt;
}

std::optional<fs::path> findMoved(const ModelChoice& choice, const StopToken& stop) {
    if (choice.sha256.empty()) return std::nullopt;
    std::vector<fs::path> folders = {choice.file.parent_path()};
    for (const fs::path& folder : model::modelFolders()) folders.push_back(folder);
    for (const fs::path& folder : folders)
        if (auto found = findByHash(folder, choice.sha256, stop)) return found;
    return std::nullopt;
}

// Whether the file has what was taught when the project was saved.
bool isAsSaved(const ModelChoice& choice, const StopToken& stop) {
    return !choice.taught || choice.sha256.empty() || hasHash(choice.file, choice.sha256, stop);
}

// Nothing for a file that cannot be read.
std::optional<teaching::TaughtPart> taughtPartOf(const fs::path& file) {
    try {
        return teaching::TaughtPart::read(file);
    } catch (const Error&) {
        logCaught("looking for the taught model of the project");
        return std::nullopt;
    }
}

// Files that may be the model from before something was taught.
std::vector<fs::path> possibleBases(const ModelChoice& choice) {
    std::vector<fs::path> files;
    try {
        files.push_back(model::defaultModel());
    } catch (const Error&) { // none is installed
        logCaught("looking for the default model");
    }
    const fs::path name = choice.taught->note.model + ".safetensors";
    if (name != name.filename()) return files; // of a stranger
    std::vector<fs::path> folders = model::modelFolders();
    folders.push_back(choice.file.parent_path());
    for (const fs::path& folder : folders) files.push_back(folder / name);
    for (const juce::File& recent : recentModels())
        if (recent.getFileNameWithoutExtension().toStdString() == choice.taught->note.model)
            files.emplace_back(recent.getFullPathName().toStdString());
    return files;
}

// Removes the files that were made longest ago; they can be made again.
void keepNewest(const fs::path& folder) {
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        std::error_code unreadable;
        if (isModelFile(entry->path())) files.emplace_back(entry->last_write_time(unreadable), entry->path());
    }
    std::ranges::sort(files, std::ranges::greater{});
    for (std::size_t i = maxRemade; i < files.size(); ++i) fs::remove(files[i].second, failure);
}

// The taught model of a project, made again; nothing if the model from before is not there. problem: why it
// could not be written.
std::optional<fs::path> remade(const ModelChoice& choice, std::string& problem, const StopToken& stop) {
    const teaching::TaughtPart& part = *choice.taught;
    const fs::path folder = remadeModels().getFullPathName().toStdString();
    const fs::path file = folder / (part.fingerprint() + ".safetensors"); // no name of a stranger's
    if (taughtPartOf(file) == part) return file;
    for (const fs::path& base : possibleBases(choice)) {
        stop.check();
        try {
            const teaching::TeachableModel before(base);
            if (!before.isBaseOf(part)) continue;
            std::error_code failure;
            fs::create_directories(folder, failure);
            before.write(file, part);
            keepNewest(folder);
            return file;
        } catch (const WriteError& error) {
            logCaught("making the taught model of the project");
            problem = error.what();
            return std::nullopt;
        } catch (const Error&) { // it is not there, or no such model
            logCaught("looking for the model from before it was taught");
        }
    }
    return std::nullopt;
}

std::string noticeFor(const ModelChoice& choice, bool isThere, const std::string& problem) {
    const std::string name = choice.file.filename().string();
    if (isThere) return name + " has changed since the project was saved; the present version is used";
    std::string missing = name + " is missing; the default model is used";
    if (!problem.empty()) return missing + "; it cannot be rebuilt: " + problem;
    if (!choice.taught) return missing;
    return missing + "; put it back, or the " + printable(choice.taught->note.model) +
           " that it was taught to, and open the project again";
}

} // namespace

ModelChoice SharedChoice::get() const {
    return state_.with([](const State& state) { return state.choice; });
}

fs::path SharedChoice::inUse() const {
    return state_.with([](const State& state) { return state.inUse; });
}

bool SharedChoice::isFound() const {
    return state_.with([](const State& state) { return state.isFound; });
}

void SharedChoice::set(const ModelChoice& choice) {
    state_.with([&](State& state) { state = {choice, choice.file}; });
}

void SharedChoice::found(const ModelChoice& choice, const FoundModel& model) {
    state_.with([&](State& state) {
        ModelChoice& now = state.choice;
        // The hash may have become known meanwhile.
        const bool isSame = now.sha256 == choice.sha256 || choice.sha256.empty();
        if (now.file != choice.file || !isSame) return;
        state.news |= now.file != model.choice.file || now.taught != model.choice.taught;
        now.file = model.choice.file;
        now.taught = model.choice.taught;
        state.inUse = model.inUse;
        state.isFound = true;
    });
}

void SharedChoice::hashed(const fs::path& file, const std::string& sha256) {
    state_.with([&](State& state) {
        if (state.choice.file != file) return;
        state.news |= state.choice.sha256 != sha256;
        state.choice.sha256 = sha256;
    });
}

bool SharedChoice::takeNews() {
    return state_.with([](State& state) { return std::exchange(state.news, false); });
}

streaming::ModelLoader loaderForProject(const ModelChoice& choice,
                                        std::function<void(const FoundModel&)> found,
                                        const detection::QueryChoice& listen) {
    return [choice, listen, found = std::move(found)](const StopToken& stop) -> streaming::LoadedModel {
        FoundModel result{choice, choice.file};
        const auto load = [&](const fs::path& file) {
            streaming::LoadedModel loaded = streaming::loaderFor(file, listen)(stop);
            if (!choice.file.empty() && !choice.taught && file == result.inUse)
                result.choice.taught = taughtPartOf(file);
            stop.check();
            if (found) found(result);
            return loaded;
        };
        if (choice.file.empty()) return load(model::defaultModel());
        std::error_code failure;
        const bool isThere = fs::exists(choice.file, failure);
        if (isThere && isAsSaved(choice, stop)) return load(choice.file);
        std::string problem;
        if (const auto file = choice.taught ? remade(choice, problem, stop) : std::nullopt) {
            result.inUse = *file;
            streaming::LoadedModel loaded = load(*file);
            loaded.name = choice.file.stem().string();
            return loaded;
        }
        if (const auto moved = findMoved(choice, stop)) {
            result.choice.file = result.inUse = *moved;
            return load(*moved);
        }
        if (!isThere) result.inUse.clear();
        streaming::LoadedModel loaded = load(isThere ? choice.file : model::defaultModel());
        loaded.notice = noticeFor(choice, isThere, problem);
        return loaded;
    };
}

void HashJob::start(const fs::path& file, std::function<void(const std::string&)> done) {
    const auto hash = [file, done = std::move(done)](const StopToken& stop) {
        std::error_code failure;
        if (!fs::is_regular_file(file, failure)) return;
        const std::string sha256 = sha256OfFile(file, stop);
        stop.check();
        done(sha256);
    };
    try {
        job_.with([&](LatestJob& job) { job.start(hash); });
    } catch (const std::exception&) { // no thread could be started
        logCaught("computing the model's checksum");
    }
}

void HashJob::cancel() noexcept {
    job_.with([](LatestJob& job) { job.stop(); });
}

} // namespace earshot::plugin
