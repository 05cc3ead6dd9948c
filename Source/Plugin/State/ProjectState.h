// What a project stores of an instance, gathered from its parts and given back to them. Hosts ask on any
// thread; the view, which lives on the message thread, follows there.
//   get(), apply()   any thread but the audio thread
#pragma once

#include "Plugin/Model/ModelSlot.h"
#include "Plugin/Outputs/EventOutputs.h"
#include "Plugin/Parameters/Parameters.h"
#include "Plugin/Playback/Playback.h"
#include "Plugin/State/PluginState.h"
#include "Ui/ViewState.h"

#include <juce_events/juce_events.h>

#include <functional>
#include <mutex>
#include <optional>

namespace earshot::plugin {

class ProjectState : private juce::ChangeListener, private juce::AsyncUpdater {
  public:
    struct Parts {
        Parameters& parameters;
        LiveStreams& live;
        ModelSlot& model;
        Playback& playback;
        EventOutputs& outputs;
        ui::ViewState& view;
    };
    explicit ProjectState(const Parts& parts);
    ~ProjectState() override;

    std::function<void()> onOtherModel; // a project brought another model: message thread
    std::function<void()> onView;       // the view has a project's settings: message thread

    PluginState get() const;
    void apply(const PluginState& state);

  private:
    struct Waiting {
        std::optional<ui::ViewSettings> view;
        bool otherModel = false;
        bool restart = false; // of an open recording
    };

    void keepView() const;
    void take();
    void changeListenerCallback(juce::ChangeBroadcaster*) override;
    void handleAsyncUpdate() override;

    Parts parts_;
    mutable std::mutex mutex_;              // guards the next two members
    mutable ui::ViewSettings viewSettings_; // a copy of the view's, or those that wait for it
    Waiting waiting_;                       // for the message thread
};

} // namespace earshot::plugin
