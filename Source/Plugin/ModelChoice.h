// Which model an instance uses, as a project keeps it: the file's path, and its SHA-256, by which it is found
// again when it has moved.
#pragma once

#include "Core/Streaming/Session.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace earshot::plugin {

struct ModelChoice {
    std::filesystem::path file; // empty: the default model
    std::string sha256;         // lower-case hexadecimal; empty while unknown
    std::string name;           // for people, when the file is gone

    bool operator==(const ModelChoice&) const = default;
};

// For a model from a project. One that is gone is looked for by its hash beside where it was and in the
// folders of default models; else the default model steps in, with a notice. Runs on the worker, where
// `moved` hears of where it was found.
streaming::ModelLoader loaderForProject(const ModelChoice& choice,
                                        std::function<void(const std::filesystem::path&)> moved = {});

// Lower-case hexadecimal; empty when the file cannot be read or `cancelled` becomes true. Takes seconds for a
// large model: never on the audio or message thread.
std::string sha256Of(const std::filesystem::path& file, const std::atomic<bool>& cancelled);

// Computes one hash after the other on a thread of its own. Any thread but the audio thread.
class HashJob {
  public:
    HashJob() = default;
    ~HashJob();
    HashJob(const HashJob&) = delete;
    HashJob& operator=(const HashJob&) = delete;

    // Gives up what it was at. `done` is called on the job's thread, unless given up or unreadable.
    void start(const std::filesystem::path& file, std::function<void(const std::string& sha256)> done);
    void cancel();

  private:
    std::mutex mutex_;
    std::atomic<bool> cancelled_ = false;
    std::thread thread_;
};

} // namespace earshot::plugin
