// Audio of events as WAV files to drag out of the window. The files are made in the background while the drag
// begins, in a folder that only the user may read, and are removed after a day (Ui/Panels/EventExport.h).
// Only the last request counts. Message thread.
#pragma once

#include "Core/Base/LatestJob.h"
#include "Core/Base/Synchronized.h"
#include "Ui/Control/ClipControl.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace earshot::plugin {

// An event of a live stream or a bounce, with its audio.
struct KeptClip {
    ui::ClipRequest::Event event;
    std::vector<float> samples; // mono
    int sampleRate = 0;         // Hz
};

class DragClips {
  public:
    void cut(const ui::ClipRequest& request); // from the request's recording
    void write(std::vector<KeptClip> clips);
    void refuse(const juce::String& why);
    ui::DraggedClips clips() const {
        return shared_->with([](const State& state) { return state.clips; });
    }

  private:
    struct State {
        int request = 0; // its number
        ui::DraggedClips clips;
    };
    // Makes the files in a folder and returns their paths; earshot::Error says why not.
    using Work = std::function<std::vector<std::string>(const std::string& folder, const StopToken& stop)>;

    int begin(const ui::DraggedClips& clips);
    void start(Work work);

    const std::shared_ptr<Synchronized<State>> shared_ = std::make_shared<Synchronized<State>>();
    LatestJob job_;
};

} // namespace earshot::plugin
