// Which model an instance uses, as a project keeps it: the file's path, and its SHA-256, by which it is found
// again when it has moved.
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
    std::string name;           // for people, when the file is gone

    bool operator==(const ModelChoice&) const = default;
};

// The choice of an instance. Threads that may outlive the instance correct it, so that they share it. Any
// thread but the audio thread.
class SharedChoice {
  public:
    ModelChoice get() const;
    void set(const ModelChoice& choice);
    // Unless another one was chosen meanwhile.
    void found(const ModelChoice& choice, const std::filesystem::path& elsewhere);
    void hashed(const std::filesystem::path& file, const std::string& sha256);

  private:
    mutable std::mutex mutex_;
    ModelChoice choice_;
};

// For a model from a project. One that is gone is looked for by its hash beside where it was and in the
// folders of default models; else the default model steps in, with a notice. Runs on the loading thread,
// where `moved` hears of where it was found: both may outlive the session.
streaming::ModelLoader loaderForProject(const ModelChoice& choice,
                                        std::function<void(const std::filesystem::path&)> moved = {});

// Computes one hash after the other on a thread of its own. Any thread but the audio thread.
class HashJob {
  public:
    HashJob() = default;
    HashJob(const HashJob&) = delete;
    HashJob& operator=(const HashJob&) = delete;

    // Gives up what it was at. `done` is called on a thread that may outlive the job; never when given up,
    // when the file cannot be read or when there is no thread.
    void start(const std::filesystem::path& file, std::function<void(const std::string& sha256)> done);
    void stop() noexcept; // asks, and waits for nothing
    void cancel() noexcept;

  private:
    std::mutex mutex_;
    Job job_;
};

} // namespace earshot::plugin
