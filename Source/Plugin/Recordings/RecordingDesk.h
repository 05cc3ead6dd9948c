// The app's list of recordings, as the views ask for it. Message thread.
#pragma once

#include "Plugin/Recordings/Recordings.h"
#include "Ui/Control/RecordingControl.h"

#include <functional>

namespace earshot::plugin {

class RecordingDesk : public ui::RecordingControl {
  public:
    // app: there is such a list. settings: how recordings are heard, as the user has set it by then.
    RecordingDesk(bool app, std::function<HowToListen()> settings);

    ui::RecordingList state() const override;
    void add(const juce::StringArray& paths) override;
    void remove(int id) override;
    juce::String analyse(bool again) override;
    juce::String writeTable(const juce::File& file) override;
    void stop() override { recordings_.stop(); }
    juce::String setResults(int id, const juce::File& folder) override;
    bool running() const { return recordings_.running(); }

  private:
    const bool app_;
    const std::function<HowToListen()> settings_;
    Recordings recordings_;
};

} // namespace earshot::plugin
