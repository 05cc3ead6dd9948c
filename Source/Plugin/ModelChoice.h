// The model that an instance uses, as a project stores it: the path of the file and its SHA-256. The hash
// finds the file again if it has moved.
#pragma once

#include "Core/Base/Job.h"
#include "Core/Streaming/Session.h"

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>

namespace earshot::plugin {

struct ModelChoice {
    std::filesystem::path file; // empty: the default model
    std::string sha256;         // lower-case hexadecimal; empty while unknown
    std::string name;           // a name for the user, in case the file is gone

    bool operator==(const ModelChoice&) const = default;
};

// The choice of an instance. Threads that may outlive the instance also change it, so they share it. Any
// thread but the audio thread.
class SharedChoice {
  public:
    ModelChoice get() const;
    void set(const ModelChoice& choice);
    // These change the path or the hash, unless another model was chosen meanwhile.
    void found(const ModelChoice& choice, const std::filesystem::path& elsewhere);
    void hashed(const std::filesystem::path& file, const std::string& sha256);

  private:
    mutable std::mutex mutex_;
    ModelChoice choice_;
};

// Returns a loader for a project's model. If the file is gone, the loader searches for its hash in the file's
// former folder and the folders of default models, and passes the path to `moved`. If the search fails, it
// loads the default model, with a notice. The loader and `moved` run on the loading thread and may outlive
// the session.
streaming::ModelLoader loaderForProject(const ModelChoice& choice,
                                        std::function<void(const std::filesystem::path&)> moved = {},
                                        const detection::QueryChoice& listen = {});

// Computes one hash at a time on a thread of its own. Any thread but the audio thread.
class HashJob {
  public:
    HashJob() = default;
    HashJob(const HashJob&) = delete;
    HashJob& operator=(const HashJob&) = delete;

    // Cancels the present hash and begins another. `done` is called on a thread that may outlive the HashJob.
    // It is not called if the hash is cancelled, the file cannot be read, or no thread can be started.
    void start(const std::filesystem::path& file, std::function<void(const std::string& sha256)> done);
    void stop() noexcept;   // requests the end without waiting
    void cancel() noexcept; // stops and waits, but not for a file system that does not answer

  private:
    std::mutex mutex_;
    Job job_;
};

} // namespace earshot::plugin
