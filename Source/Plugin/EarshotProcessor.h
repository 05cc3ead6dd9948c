// The plugin as a host sees it: passes audio through unchanged and without delay, and owns the parts that do
// the work, of which each has a header that says its threads. It joins them: what one part has done, others
// follow.
//   processBlock()             the audio thread
//   prepareToPlay(), release.. the host's lifecycle
//   state                      any thread
//   ui::Controller             message thread
//
// Some hosts construct a plugin only to scan it, so the constructor makes only the parameters.
#pragma once

#include "Core/Base/Log.h"
#include "Plugin/Base/UserPresets.h"
#include "Plugin/Live/LiveStreams.h"
#include "Plugin/Model/ModelSlot.h"
#include "Plugin/Outputs/EventOutputs.h"
#include "Plugin/Outputs/MidiOut.h"
#include "Plugin/Parameters/Parameters.h"
#include "Plugin/Playback/Playback.h"
#include "Plugin/Queries/TextQueries.h"
#include "Plugin/Recordings/ClipCutter.h"
#include "Plugin/Recordings/RecordingDesk.h"
#include "Plugin/Recordings/UserReviews.h"
#include "Plugin/Shell.h"
#include "Plugin/State/ProjectState.h"
#include "Plugin/Teach/TeachingDesk.h"
#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"

#include <juce_audio_processors/juce_audio_processors.h>

#include <memory>
#include <string>

namespace earshot::plugin {

class EarshotProcessor : public juce::AudioProcessor, public ui::Controller, private juce::Timer {
  public:
    EarshotProcessor();
    ~EarshotProcessor() override;

    // juce::AudioProcessor
    const juce::String getName() const override { return "Earshot"; }
    bool isBusesLayoutSupported(const BusesLayout& layout) const override;
    void prepareToPlay(double sampleRate, int blockSize) override;
    void releaseResources() override;
    void setNonRealtime(bool offline) noexcept override;
    bool supportsDoublePrecisionProcessing() const override { return true; }
    void processBlock(juce::AudioBuffer<float>& buffer, juce::MidiBuffer& midi) override;
    void processBlock(juce::AudioBuffer<double>& buffer, juce::MidiBuffer& midi) override;
    void processBlockBypassed(juce::AudioBuffer<float>& buffer, juce::MidiBuffer& midi) override;
    void processBlockBypassed(juce::AudioBuffer<double>& buffer, juce::MidiBuffer& midi) override;
    // Null in an LV2: where there is one, JUCE's instance (7.0.5 and 8.0.6) sets it in each block to what the
    // port `enabled` says, so that nothing else can change it. followEnabled() makes one state of both.
    juce::AudioProcessorParameter* getBypassParameter() const override {
        return wrapperType == wrapperType_LV2 ? nullptr : &parameters_.bypass();
    }
    // Of MIDI and OSC: audio has none. Hosts may stop to process silence after that.
    double getTailLengthSeconds() const override { return outputs_.tail(); }
    bool acceptsMidi() const override { return false; }
    bool producesMidi() const override { return true; }
    juce::AudioProcessorEditor* createEditor() override;
    bool hasEditor() const override { return true; }
    int getNumPrograms() override { return 1; }
    int getCurrentProgram() override { return 0; }
    void setCurrentProgram(int) override {}
    const juce::String getProgramName(int) override { return {}; }
    void changeProgramName(int, const juce::String&) override {}
    void updateTrackProperties(const TrackProperties& track) override;
    void getStateInformation(juce::MemoryBlock& data) override;
    void setStateInformation(const void* data, int bytes) override;

    // ui::Controller
    Playback& playback() override { return playback_; }
    ModelSlot& model() override { return model_; }
    TextQueries& words() override { return words_; }
    TeachingDesk& teaching() override { return teaching_; }
    RecordingDesk& recordings() override { return recordings_; }
    ClipCutter& clips() override { return clips_; }
    EventOutputs& outputs() override { return outputs_; }
    UserPresets& presets() override { return presets_; }
    UserReviews& reviews() override { return reviews_; }
    Shell& shell() override { return shell_; }
    juce::AudioProcessorValueTreeState& parameters() override { return parameters_.tree; }
    ui::ViewState& view() override { return view_; }
    ui::HistoryViewModel& viewModel() override { return viewModel_; }
    detection::RuleChoice rules(const detection::Labels& labels, double secondsPerColumn) const override;

    // Writes the ends of all notes that sound to `midi`, before their port closes. Any thread but the audio
    // thread, which it holds up for that time.
    void endNotes(juce::MidiBuffer& midi);
    // The live stream, also while a recording is shown, and the history of the last bounce (null: there was
    // none). Any thread but the audio thread.
    const streaming::Session& session() const { return live_.session(); }
    std::shared_ptr<streaming::LiveHistory> bounce() const { return live_.bounce(); }
    ProjectState& project() { return state_; }
    PluginState state() const { return state_.get(); } // that the host stores in a project; any thread
    // Lets all parts follow the parameters, the host and each other. The timer calls it ten times a second
    // while a session runs, a recording is open or a lesson runs. Message thread.
    void followParameters();

  private:
    template <typename Sample>
    void process(juce::AudioBuffer<Sample>& buffer, juce::MidiBuffer& midi, bool enabled) noexcept;
    void followEnabled(bool enabled) noexcept;
    HowToListen howToListen() const;
    void projectChanged();
    void startFollowing();
    void timerCallback() override { followParameters(); }

    LogSession log_;      // outlives the parts
    bool enabled_ = true; // the audio thread's: the LV2's port, in the last block
    Parameters parameters_;
    MidiOut midi_;
    EventOutputs outputs_;
    ui::ViewState view_;
    LiveStreams live_;
    ModelSlot model_;
    Playback playback_;
    TextQueries words_;
    TeachingDesk teaching_;
    RecordingDesk recordings_;
    ClipCutter clips_;
    ProjectState state_;
    UserPresets presets_;
    UserReviews reviews_{[this] { return playback_.recording(); }};
    Shell shell_;
    ui::HistoryViewModel viewModel_{*this}; // of what playback_ shows
};

} // namespace earshot::plugin
