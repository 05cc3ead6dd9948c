// The model that an instance uses, as a project stores it: the path of the file and its SHA-256. The hash
// finds the file again if it has moved. Of a taught model the project also stores what was taught, so that
// it is made again where its file is missing, or was replaced by a later lesson.
#pragma once

#include "Core/Base/LatestJob.h"
#include "Core/Base/Synchronized.h"
#include "Core/Streaming/Session.h"
#include "Core/Teaching/TaughtModel.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace earshot::plugin {

struct ModelChoice {
    std::filesystem::path file; // empty: the default model
    std::string sha256;         // lower-case hexadecimal; empty while unknown
    std::string name;           // a name for the user, in case the file is gone
    // Of a taught model; null: it was not taught, or is not read yet.
    std::optional<teaching::TaughtPart> taught = {};

    bool operator==(const ModelChoice&) const = default;
};

// What a loader made of a choice.
struct FoundModel {
    ModelChoice choice;          // as a project stores it from here on
    std::filesystem::path inUse; // the file that was loaded; empty: the default model
};

// The choice of an instance. Threads that may outlive the instance also change it, so they share it. Any
// thread but the audio thread.
class SharedChoice {
  public:
    ModelChoice get() const;
    // The file that is loaded for it, as far as it is known; empty: the default model.
    std::filesystem::path inUse() const;
    bool isFound() const; // a model was loaded for it
    void set(const ModelChoice& choice);
    // These add what is found out about a choice or a file, unless another model was chosen meanwhile.
    void found(const ModelChoice& choice, const FoundModel& model);
    void hashed(const std::filesystem::path& file, const std::string& sha256);
    // Whether they added something that a project stores; once.
    bool takeNews();

  private:
    struct State {
        ModelChoice choice;
        std::filesystem::path inUse;
        bool news = false;
        bool isFound = false;
    };
    Synchronized<State> state_;
};

// Returns a loader for a project's model. It calls `found` before it returns the model. If the file is gone,
// or is not the one that was taught what the project stores:
//   1. What was taught is added to the model from before, in a file in remadeModels() (UserLists.h). That
//      model is the default one, or has its name in the folder of the file or of default models, or was
//      opened last.
//   2. The loader searches for the hash in the file's former folder and the folders of default models.
//   3. It loads the file as it is, else the default model, with a notice.
// The loader and `found` run on the loading thread and may outlive the session.
streaming::ModelLoader loaderForProject(const ModelChoice& choice,
                                        std::function<void(const FoundModel&)> found = {},
                                        const detection::QueryChoice& listen = {});

// Computes hashes on threads of their own, of which the last one that was asked for counts. Nothing waits for
// a file system. Any thread but the audio thread.
class HashJob {
  public:
    // Cancels the present hash and begins another. `done` is called on a thread that may outlive the HashJob.
    // It is not called if the file cannot be read or no thread can be started, nor, but for the last moment,
    // if the hash is cancelled.
    void start(const std::filesystem::path& file, std::function<void(const std::string& sha256)> done);
    void cancel() noexcept;

  private:
    Synchronized<LatestJob> job_;
};

} // namespace earshot::plugin
