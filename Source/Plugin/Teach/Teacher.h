// What an instance teaches: the user's collection of examples, and lessons from it. All that touches a disk
// runs on jobs that may outlive the instance. Message thread, except setPaused().
#pragma once

#include "Core/Base/BackgroundThread.h"
#include "Core/Base/JobQueue.h"
#include "Ui/Control/TeachingControl.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::teaching {
class Collection;
}

namespace earshot::plugin {

// Audio to keep as an example: of a recording's file, or samples of a live stream.
struct HeardStretch {
    double onset = 0.0, offset = 0.0; // seconds of the file or of the stream
    std::filesystem::path recording;  // empty: `samples`
    int channel = 0;                  // of it, as audio::ReadOptions has it
    std::vector<float> samples;       // mono, from `start` on
    double start = 0.0;               // seconds of the stream
    int sampleRate = 0;               // Hz
    std::string group;                // the recording or stream, as teaching::NewExample
};

class Teacher {
  public:
    // beforeDisk is called on the disk's thread before each piece of work there; tests let it hang.
    explicit Teacher(std::function<void()> beforeDisk = {});
    ~Teacher(); // a running lesson is stopped
    Teacher(const Teacher&) = delete;
    Teacher& operator=(const Teacher&) = delete;

    // Reads the collection and what the model has learnt; again after another model was chosen.
    void look(const std::filesystem::path& model);
    // The same if it looked at another model before.
    void follow(const std::filesystem::path& model);
    ui::Teaching view() const; // without keepsAudio and canUndo

    // Each returns why it is not begun: a sentence for the user, or an empty text. It is done in the
    // background, in the order of the calls; if that fails, view() says so (ui::Teaching::refusal).
    std::string keep(const std::string& sound, bool is, HeardStretch stretch);
    std::string rename(const std::string& sound, const std::string& name);
    std::string forget(const std::string& sound);
    std::string open(const std::filesystem::path& folder);
    std::string add(const std::filesystem::path& folder); // its clips, or it is opened if it is a collection
    int edits() const { return edits_; }                  // as ui::TeachingControl
    std::string restore(int edits);
    std::string learn(const std::filesystem::path& model);
    void stop();
    bool busy() const { return disk_.busy(); } // something is being done on the disk
    // While a bounce runs, a lesson waits and nothing is written. Any thread.
    void setPaused(bool paused) noexcept;

    // A model that a lesson has just made, and what was there under its name before; once.
    struct Result {
        std::filesystem::path model;
        std::filesystem::path before; // empty: nothing
    };
    std::optional<Result> takeResult();
    void notify(const std::string& more); // beside how the lesson ended

    // Seconds before and after a marked stretch that are kept with it. What is not marked there counts as
    // other sounds.
    static constexpr double context = 2.0;

  private:
    struct State;
    struct Shared;

    std::string change(std::function<void(Shared&)> work);
    std::string edit(std::function<void(teaching::Collection&)> work);
    std::string takeFolder(const std::filesystem::path& folder, bool opens);

    const std::shared_ptr<Shared> shared_;
    std::optional<std::filesystem::path> model_; // of look()
    int edits_ = 0;
    JobQueue disk_;
    BackgroundThread lesson_;
};

} // namespace earshot::plugin
