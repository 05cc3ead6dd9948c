// The app's list of recordings, and the batch that hears them as `earshot analyze --output-dir` does
// (Core/Batch): either goes on where the other stopped. All that touches a disk runs on jobs that may outlive
// the list. Message thread.
#pragma once

#include "Core/Base/BackgroundThread.h"
#include "Core/Detection/Queries/ListeningModel.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Plugin/Parameters/Parameters.h"
#include "Ui/Control/RecordingControl.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace earshot::plugin {

// How recordings are heard: as the user has set it when a batch is asked for.
struct HowToListen {
    std::filesystem::path model;  // empty: the default model
    detection::QueryChoice words; // no texts: the model's own classes
    ChosenRules rules;
    detection::Mode mode = detection::Mode::automatic;
    bool byConfidence = false; // in place of thresholds, where the model can
    int channel = 0;           // as audio::ReadOptions has it
};

struct SharedListState;

class Recordings {
  public:
    Recordings();
    ~Recordings(); // a running batch is stopped; see running()
    Recordings(const Recordings&) = delete;
    Recordings& operator=(const Recordings&) = delete;

    ui::RecordingList view() const;

    // As ui::RecordingControl's functions. They return why nothing is done: a sentence for the user, or an
    // empty text.
    void add(const std::vector<std::filesystem::path>& paths, const HowToListen& how);
    void remove(int id);
    std::string analyse(const HowToListen& how, bool again);
    std::string writeTable(const std::filesystem::path& file);
    void stop();
    // A search or a batch runs. Let it end after stop() where the program ends next: a pass of the network
    // may take seconds, and a disk that does not answer has no end.
    bool running() const;
    std::string setResults(int id, const std::filesystem::path& folder);

  private:
    bool start(); // the batch's thread, unless it runs

    const std::shared_ptr<SharedListState> book_;
    std::vector<BackgroundThread> searches_; // one for each drop, so that a disk that hangs holds up no other
    BackgroundThread batch_;
    BackgroundThread table_;
};

} // namespace earshot::plugin
