#include "Plugin/ModelChoice.h"

#include "Core/Base/Error.h"
#include "Core/Model/ModelLocator.h"

#include <juce_cryptography/juce_cryptography.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace earshot::plugin {

namespace {

namespace fs = std::filesystem;

// Hashed in search of one, at most: whoever stops the stream waits for it.
constexpr int mostCandidates = 64;
constexpr std::uintmax_t mostBytes = std::uintmax_t{1} << 30;

// Ends early when cancelled.
class CancellableStream : public juce::FileInputStream {
  public:
    CancellableStream(const juce::File& source, const std::atomic<bool>& cancelled)
        : juce::FileInputStream(source)
        , cancelled_(cancelled) {}

    int read(void* buffer, int bytes) override {
        return cancelled_ ? 0 : juce::FileInputStream::read(buffer, bytes);
    }

  private:
    const std::atomic<bool>& cancelled_;
};

bool isModelFile(const fs::path& file) {
    const fs::path extension = file.extension();
    return extension == ".safetensors" || extension == ".ckpt" || extension == ".pt" || extension == ".pth" ||
           extension == ".bin";
}

std::optional<fs::path> findByHash(const fs::path& folder, const std::string& sha256) {
    const std::atomic<bool> cancelled = false;
    std::error_code failure;
    int candidates = 0;
    std::uintmax_t bytes = 0;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        std::error_code unreadable;
        if (!isModelFile(entry->path()) || !entry->is_regular_file(unreadable)) continue;
        bytes += entry->file_size(unreadable);
        if (unreadable || ++candidates > mostCandidates || bytes > mostBytes) break;
        if (sha256Of(entry->path(), cancelled) == sha256) return entry->path();
    }
    return std::nullopt;
}

std::optional<fs::path> findMoved(const ModelChoice& choice) {
    if (choice.sha256.empty()) return std::nullopt;
    std::vector<fs::path> folders = {choice.file.parent_path()};
    for (const fs::path& folder : model::modelFolders()) folders.push_back(folder);
    for (const fs::path& folder : folders)
        if (auto found = findByHash(folder, choice.sha256)) return found;
    return std::nullopt;
}

} // namespace

streaming::ModelLoader loaderForProject(const ModelChoice& choice,
                                        std::function<void(const fs::path&)> moved) {
    return [choice, moved = std::move(moved)]() -> streaming::LoadedModel {
        if (choice.file.empty()) return streaming::loaderFor(model::defaultModel())();
        std::error_code failure;
        if (fs::exists(choice.file, failure)) return streaming::loaderFor(choice.file)();
        if (const auto found = findMoved(choice)) {
            streaming::LoadedModel loaded = streaming::loaderFor(*found)();
            if (moved) moved(*found);
            return loaded;
        }
        streaming::LoadedModel loaded = streaming::loaderFor(model::defaultModel())();
        loaded.notice = choice.file.filename().string() + " is missing: using the default model";
        return loaded;
    };
}

std::string sha256Of(const fs::path& file, const std::atomic<bool>& cancelled) {
    CancellableStream stream(juce::File(juce::String::fromUTF8(file.string().c_str())), cancelled);
    if (!stream.openedOk()) return {};
    juce::BufferedInputStream buffered(stream, 1 << 20);
    const std::string hash = juce::SHA256(buffered).toHexString().toStdString();
    return cancelled || stream.getStatus().failed() ? std::string() : hash;
}

HashJob::~HashJob() { cancel(); }

void HashJob::start(const fs::path& file, std::function<void(const std::string&)> done) {
    cancel();
    const std::scoped_lock lock(mutex_);
    cancelled_ = false;
    try {
        thread_ = std::thread([this, file, done = std::move(done)] {
            const std::string hash = sha256Of(file, cancelled_);
            if (!hash.empty() && !cancelled_) done(hash);
        });
    } catch (const std::exception&) {
        return; // without a hash a model that moves is not found again, no more
    }
}

void HashJob::cancel() {
    const std::scoped_lock lock(mutex_);
    cancelled_ = true;
    if (thread_.joinable()) thread_.join();
}

} // namespace earshot::plugin
