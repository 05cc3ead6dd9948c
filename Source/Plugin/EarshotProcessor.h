// The plugin as a host sees it: passes audio through unchanged and without delay, and pushes it to a session.
//   processBlock()             the audio thread: down-mix, Session::push(), MIDI out; no lock, no allocation
//   prepareToPlay(), release.. the host's lifecycle; a mutex serialises the calls
//   state                      any thread
//   ui::Controller             message thread
// A bounce has a session and a history of its own, so that the live one goes on after it. The history of the
// last bounce is kept, whole, until the next one begins.
//
// Some hosts construct a plugin only to scan it, so the constructor makes only the parameters. The session
// gets its model when the host prepares to play or opens the editor, and loads it on a thread of its own.
#pragma once

#include "Core/Base/Gate.h"
#include "Plugin/EventOutputs.h"
#include "Plugin/MidiOut.h"
#include "Plugin/ModelChoice.h"
#include "Plugin/Parameters.h"
#include "Plugin/PluginState.h"
#include "Plugin/Recordings.h"
#include "Plugin/Teacher.h"
#include "Plugin/WordList.h"
#include "Ui/Controller.h"
#include "Ui/Watcher.h"

#include "Core/Streaming/FileSession.h"
#include "Core/Streaming/LiveHistory.h"
#include "Core/Streaming/Session.h"

#include <juce_audio_processors/juce_audio_processors.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace earshot::plugin {

class EarshotProcessor : public juce::AudioProcessor,
                         public ui::Controller,
                         private juce::ChangeListener,
                         private juce::AsyncUpdater,
                         private juce::Timer {
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
    streaming::Source& source() override;
    std::uint64_t sourceId() const override { return sourceId_; }
    juce::AudioProcessorValueTreeState& parameters() override { return parameters_.tree; }
    ui::Watcher& watcher() override { return watcher_; }
    ui::ViewState& view() override { return view_; }
    detection::RuleChoice rules(const detection::Labels& labels, double secondsPerColumn) const override;
    void loadModel(const juce::File& file) override;
    void loadDefaultModel() override;
    juce::Array<juce::File> recentModels() const override;
    ui::Words words() const override;
    juce::String addWord(const juce::String& given) override;
    juce::String renameWord(int id, const juce::String& name) override;
    void moveWord(int id, int places) override;
    void removeWord(int id) override;
    void setWordsJoin(bool join) override;
    ui::Teaching teaching() const override;
    juce::String teach(const juce::String& sound, std::uint64_t stream, double onset, double offset,
                       bool is) override;
    juce::String renameTaught(const juce::String& sound, const juce::String& name) override;
    juce::String forgetTaught(const juce::String& sound) override;
    juce::String openCollection(const juce::File& folder) override;
    juce::String addExamples(const juce::File& folder) override;
    juce::String learn() override;
    void stopLearning() override { teacher_.stop(); }
    juce::String undoLearning() override;
    void setKeepsAudio(bool keeps) override;
    void openTeaching() override;
    ui::OutputSettings outputs() const override { return outputs_.get(); }
    void setOutputs(const ui::OutputSettings& settings) override;
    juce::String outputsProblem() const override { return outputs_.problem(); }
    juce::String hostToAllow() const override { return outputs_.hostToAllow(); }
    void allowHost() override;
    ui::RecordingList recordings() const override;
    void addRecordings(const juce::StringArray& paths) override;
    void removeRecording(int id) override;
    juce::String analyseRecordings(bool again) override;
    void stopRecordings() override { recordings_.stop(); }
    juce::String setResults(int id, const juce::File& folder) override;
    int zoom() const override;
    void setZoom(int percent) override;
    void openRecording(const juce::File& file) override;
    void cancelRecording() override;
    void closeRecording() override;
    bool showsRecording() const override { return recording_ != nullptr || showsBounce_; }
    juce::File recording() const override { return recordingFile_; }
    bool hasBounce() const override { return shownBounce_ != nullptr; }
    void showBounce() override;
    streaming::FilePlayer* player() override { return player_.get(); }
    bool hasAudioSettings() const override { return showAudioSettings_ != nullptr; }
    void showAudioSettings() override;
    juce::String audioProblem() const override;
    bool monitorsInput() const override { return monitorsInput_.load(); }
    void setMonitorsInput(bool monitors) override;

    // Sets the functions that show the desktop app's audio settings and say why its device is not open, or
    // its settings are not stored. Message thread.
    void setAudioSettings(std::function<void()> show, std::function<juce::String()> problem) {
        showAudioSettings_ = std::move(show);
        audioProblem_ = std::move(problem);
    }
    // Writes a line to the event log, if there is one. Any thread but the audio thread.
    void logNote(const std::string& text) { outputs_.logNote(text); }
    // Writes the ends of all notes that sound to `midi`, before their port closes. Any thread but the audio
    // thread, which it holds up for that time.
    void endNotes(juce::MidiBuffer& midi);
    // The live stream, also while a recording is shown. Any thread but the audio thread.
    const streaming::Session& session() const { return session_; }
    // The history of the last bounce, which may still run; null: there was none. Any thread but the audio
    // thread.
    std::shared_ptr<streaming::LiveHistory> bounce() const;
    // Returns the state that the host stores in a project. Any thread.
    PluginState state() const;
    // Applies changed parameters to the session and the recording, shows a new bounce, and goes on with the
    // live stream after one. The timer calls it ten times a second while a session runs or a recording is
    // open. Message thread.
    void followParameters();

  private:
    static constexpr int watchHertz = 10; // followParameters()

    template <typename Sample>
    void process(juce::AudioBuffer<Sample>& buffer, juce::MidiBuffer& midi, bool listen) noexcept;
    void followEnabled(bool enabled) noexcept;
    template <typename Sample>
    void listenTo(const juce::AudioBuffer<Sample>& buffer) noexcept;
    template <typename Sample>
    void replaceOutput(juce::AudioBuffer<Sample>& buffer) noexcept;
    streaming::HostTime hostTime() const noexcept;
    streaming::HostTime movingHostTime() noexcept;
    bool isApp() const { return wrapperType == wrapperType_Standalone; }

    streaming::SessionSettings sessionSettings() const;
    bool running() const { return running_ != nullptr; }
    bool bouncing() const { return bounceSession_ != nullptr; }
    void startSession(bool offline);
    streaming::Session& beginBounce();
    void stopSession();
    void giveModel(const streaming::ModelLoader& loader);
    void followBounce();
    void nameModel();
    void useModel(const ModelChoice& choice, bool fromProject);
    void hashModel();
    streaming::ModelLoader currentLoader();
    void useWords(bool restart);
    void apply(const PluginState& state);
    void keepView() const;
    void takeState();
    void projectChanged();
    void startRecording();
    void followRecording();
    void openPlayer();
    juce::String whyNotDone(const std::function<std::string()>& change);
    HowToListen howToListen() const;
    void takeLesson();
    void keepAudio(bool keeps);
    streaming::SessionSettings recordingSettings() const;

    void changeListenerCallback(juce::ChangeBroadcaster*) override;
    void handleAsyncUpdate() override;
    void timerCallback() override { followParameters(); }

    Parameters parameters_;
    MidiOut midi_;
    EventOutputs outputs_;

    std::mutex lifecycle_; // guards the sessions' start and stop
    Gate gate_;            // open while a session runs
    double sampleRate_ = 0.0;
    streaming::Session* running_ = nullptr; // null: none runs. It changes while the gate is closed
    streaming::SessionSettings settings_;   // its present settings
    double hostSeconds_ = std::numeric_limits<double>::quiet_NaN(); // the audio thread's: where the host
                                                                    // played in the last block
    bool enabled_ = true;   // the audio thread's: the LV2's port, in the last block
    bool lockstep_ = false; // the audio thread's: it waited until the last block was heard

    const std::shared_ptr<SharedChoice> model_ = std::make_shared<SharedChoice>();
    const std::shared_ptr<WordList> words_ = std::make_shared<WordList>();
    mutable std::mutex stateMutex_;         // guards the next eight members, which any thread may read
    bool modelNamed_ = false;               // the session has been given the model
    streaming::ModelLoader loader_;         // that of the model, for the next bounce
    mutable ui::ViewSettings viewSettings_; // a copy of view_'s settings, or settings that wait for view_
    bool viewWaits_ = false;                // viewSettings_ waits for the message thread to put it into view_
    bool modelWaits_ = false;               // the message thread is yet to hear of a state's other model
    bool listensAnew_ = false;              // the recording waits for the message thread to hear it anew
    // While a bounce runs. It is changed while the gate is closed, so that the audio thread may read it.
    std::unique_ptr<streaming::Session> bounceSession_;
    std::shared_ptr<streaming::LiveHistory> bounce_; // of the last bounce; null: there was none
    HashJob hashJob_;

    // Only the message thread uses these.
    ui::ViewState view_;
    std::uint64_t sourceId_ = 1;
    std::shared_ptr<streaming::LiveHistory> shownBounce_; // bounce_ as the views know it
    bool showsBounce_ = false;                            // unless a recording is open
    juce::File recordingFile_;
    streaming::SessionSettings recordingSettings_;
    std::function<void()> showAudioSettings_;
    std::function<juce::String()> audioProblem_;
    Teacher teacher_;
    std::map<std::uint64_t, std::string> streamNames_; // of those with examples, which are grouped by them
    std::filesystem::path lessonModel_;                // the model in use when the present lesson began
    std::optional<ModelChoice> beforeLesson_;          // what undoing loads
    std::atomic<bool> keepsAudio_ = false;             // any thread may read it
    bool keepsAsAsked_ = false;                        // the user switched it
    Recordings recordings_;                            // the app's

    std::atomic<std::uint64_t> leftOutOfMix_ = 0; // channels of the input: DownMix.h
    std::atomic<bool> monitorsInput_ = false;
    std::unique_ptr<streaming::FilePlayer> player_; // null except in the desktop app
    streaming::Session session_;
    std::unique_ptr<streaming::FileSession> recording_;
    ui::Watcher watcher_{*this}; // watches session_, bounce_ or recording_
};

} // namespace earshot::plugin
