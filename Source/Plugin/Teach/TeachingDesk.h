// What the user teaches: stretches of what is shown become examples, and the model that a lesson makes of
// them is loaded. Message thread, except setPaused().
#pragma once

#include "Plugin/Live/LiveStreams.h"
#include "Plugin/Model/ModelSlot.h"
#include "Plugin/Playback/Playback.h"
#include "Plugin/Teach/Teacher.h"
#include "Ui/Control/TeachingControl.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace earshot::plugin {

class TeachingDesk : public ui::TeachingControl {
  public:
    TeachingDesk(ModelSlot& model, LiveStreams& live, const Playback& playback);

    std::function<void()> onLearn;     // a lesson begins
    std::function<void()> onStored;    // what a project stores has changed
    std::function<int()> shownChannel; // of a recording whose channels are analysed each by itself

    // ui::TeachingControl
    ui::Teaching state() const override;
    juce::String teach(const juce::String& sound, std::uint64_t stream, double onset, double offset,
                       bool is) override;
    juce::String rename(const juce::String& sound, const juce::String& name) override;
    juce::String forget(const juce::String& sound) override;
    juce::String openCollection(const juce::File& folder) override;
    juce::String addExamples(const juce::File& folder) override;
    int edits() const override { return teacher_.edits(); }
    juce::String restore(int edits) override;
    juce::String learn() override;
    void stop() override { teacher_.stop(); }
    juce::String undo() override;
    void setKeepsAudio(bool keeps) override;
    void panelOpens() override;

    // Takes what a lesson has made, and looks at the model in use. Called ten times a second.
    void follow();
    void look() { teacher_.look(model_.inUse()); } // reads the collection and what the model has learnt
    void forgetUndo() { before_.reset(); }         // another model was chosen
    bool learning() const { return teacher_.view().learning; }
    bool busy() const { return teacher_.busy(); }                        // changes are being made
    void setPaused(bool paused) noexcept { teacher_.setPaused(paused); } // while a bounce runs

  private:
    std::string stretchOfRecording(HeardStretch& stretch) const;
    std::string stretchOfStream(HeardStretch& stretch, std::uint64_t stream, double beside);
    void takeResult();

    ModelSlot& model_;
    LiveStreams& live_;
    const Playback& playback_;
    Teacher teacher_;
    std::map<std::uint64_t, std::string> streamNames_; // of those with examples, which are grouped by them
    std::filesystem::path lessonModel_;                // the model in use when the present lesson began
    std::optional<ModelChoice> before_;                // what undo() loads
    bool keepsAsAsked_ = false;                        // the user switched it
};

} // namespace earshot::plugin
