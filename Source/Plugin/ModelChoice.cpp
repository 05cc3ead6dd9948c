#include "Plugin/ModelChoice.h"

#include "Core/Base/Error.h"
#include "Core/Base/Sha256.h"
#include "Core/Model/ModelLocator.h"

#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace earshot::plugin {

namespace {

namespace fs = std::filesystem;

// Limits on the files that a search in one folder hashes.
constexpr int mostCandidates = 64;
constexpr std::uintmax_t mostBytes = std::uintmax_t{1} << 30;

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
        if (unreadable || ++candidates > mostCandidates || bytes > mostBytes) break;
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

} // namespace

ModelChoice SharedChoice::get() const {
    const std::scoped_lock lock(mutex_);
    return choice_;
}

void SharedChoice::set(const ModelChoice& choice) {
    const std::scoped_lock lock(mutex_);
    choice_ = choice;
}

void SharedChoice::found(const ModelChoice& choice, const fs::path& elsewhere) {
    const std::scoped_lock lock(mutex_);
    if (choice_ == choice) choice_.file = elsewhere;
}

void SharedChoice::hashed(const fs::path& file, const std::string& sha256) {
    const std::scoped_lock lock(mutex_);
    if (choice_.file == file) choice_.sha256 = sha256;
}

streaming::ModelLoader loaderForProject(const ModelChoice& choice, std::function<void(const fs::path&)> moved,
                                        const detection::QueryChoice& listen) {
    return [choice, listen, moved = std::move(moved)](const StopToken& stop) -> streaming::LoadedModel {
        const auto load = [&](const fs::path& file) { return streaming::loaderFor(file, listen)(stop); };
        if (choice.file.empty()) return load(model::defaultModel());
        std::error_code failure;
        if (fs::exists(choice.file, failure)) return load(choice.file);
        if (const auto found = findMoved(choice, stop)) {
            streaming::LoadedModel loaded = load(*found);
            stop.check();
            if (moved) moved(*found);
            return loaded;
        }
        streaming::LoadedModel loaded = load(model::defaultModel());
        loaded.notice = choice.file.filename().string() + " is missing: using the default model";
        return loaded;
    };
}

void HashJob::start(const fs::path& file, std::function<void(const std::string&)> done) {
    const std::scoped_lock lock(mutex_);
    job_.end();
    try {
        job_ = Job([file, done = std::move(done)](const StopToken& stop) {
            std::error_code failure;
            if (!fs::is_regular_file(file, failure)) return;
            const std::string hash = sha256OfFile(file, stop);
            stop.check();
            done(hash);
        });
    } catch (const std::exception&) {
        return; // no thread could be started
    }
}

void HashJob::stop() noexcept {
    const std::scoped_lock lock(mutex_);
    job_.stop();
}

void HashJob::cancel() noexcept {
    const std::scoped_lock lock(mutex_);
    job_.end();
}

} // namespace earshot::plugin
