#include "Plugin/ModelChoice.h"

#include "Core/Base/Error.h"
#include "Core/Model/ModelLocator.h"

#include <juce_cryptography/juce_cryptography.h>

#include <exception>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

namespace earshot::plugin {

namespace {

namespace fs = std::filesystem;

// Hashed in search of one, at most: whoever stops the stream waits for it.
constexpr int mostCandidates = 64;
constexpr std::uintmax_t mostBytes = std::uintmax_t{1} << 30;

// A file for JUCE's hash, which ends early when cancelled. The name need not be UTF-8, which juce::File
// wants.
class CancellableStream : public juce::InputStream {
  public:
    CancellableStream(const fs::path& file, const std::atomic<bool>& cancelled)
        : in_(file, std::ios::binary)
        , cancelled_(cancelled) {
        std::error_code failure;
        const auto size = fs::file_size(file, failure);
        size_ = failure ? 0 : static_cast<juce::int64>(size);
    }

    bool whole() const { return position_ == size_ && size_ > 0; }

    juce::int64 getTotalLength() override { return size_; }
    bool isExhausted() override { return cancelled_ || position_ >= size_ || !in_; }
    juce::int64 getPosition() override { return position_; }
    bool setPosition(juce::int64) override { return false; } // the hash reads once, from the beginning
    int read(void* buffer, int bytes) override {
        if (cancelled_ || !in_) return 0;
        in_.read(static_cast<char*>(buffer), bytes);
        position_ += in_.gcount();
        return static_cast<int>(in_.gcount());
    }

  private:
    std::ifstream in_;
    const std::atomic<bool>& cancelled_;
    juce::int64 size_ = 0;
    juce::int64 position_ = 0;
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
    CancellableStream stream(file, cancelled);
    const std::string hash = juce::SHA256(stream).toHexString().toStdString();
    return cancelled || !stream.whole() ? std::string() : hash;
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
