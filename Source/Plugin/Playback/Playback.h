// What is shown and played: the live stream, an open recording or the last bounce; and in the desktop app
// what goes to the loudspeakers.
//   replaceOutput()                      the audio thread
//   monitorsInput(), setMonitorsInput()  any thread
//   prepare()                            the host's lifecycle
//   the rest                             message thread
#pragma once

#include "Core/Streaming/FileSession.h"
#include "Core/Streaming/LiveHistory.h"
#include "Plugin/Live/LiveStreams.h"
#include "Plugin/Model/ModelSlot.h"
#include "Plugin/Parameters/Parameters.h"
#include "Ui/Control/PlaybackControl.h"

#include <juce_audio_processors/juce_audio_processors.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace earshot::plugin {

class Playback : public ui::PlaybackControl {
  public:
    // app: the desktop app, which plays recordings. No host needs its cores.
    Playback(const Parameters& parameters, const ModelSlot& model, LiveStreams& live, bool app);

    std::function<void()> onOpen; // a recording was opened

    // ui::PlaybackControl
    streaming::HistoryProvider& source() override;
    std::uint64_t sourceId() const override { return sourceId_; }
    void open(const juce::File& file) override;
    void cancel() override;
    void close() override;
    juce::String takeRefusal() override { return std::exchange(refusal_, juce::String()); }
    bool showsRecording() const override { return isOpen() || showsBounce_; }
    juce::File recording() const override { return file_; }
    bool hasBounce() const override { return bounce_ != nullptr; }
    void showBounce() override;
    streaming::FilePlayer* player() override { return player_.get(); }

    // Analyses an open recording again with another mode or channel, and shows a new bounce. Called ten times
    // a second.
    void follow();
    void restart(); // analyses an open recording again, as with another model
    void rescore(); // an open recording goes on with the words as they are now

    bool isOpen() const { return recording_ != nullptr; }
    bool isIdle() const { return !isOpen() && former_.empty(); } // follow() has nothing to do
    // Of the open recording.
    const streaming::SessionSettings& settings() const { return settings_; }
    // The history of the live stream or the bounce that is shown unless a recording is open.
    std::shared_ptr<streaming::LiveHistory> history() const;

    void prepare(double sampleRate); // Hz
    // Sets the app's output: the recording that plays, else the input if the user monitors it, else silence.
    template <typename Sample>
    void replaceOutput(juce::AudioBuffer<Sample>& buffer) noexcept;
    bool monitorsInput() const { return monitorsInput_; }
    void setMonitorsInput(bool monitors) { monitorsInput_ = monitors; }

  private:
    streaming::SessionSettings settingsNow() const;
    void start();
    void leaveRecording();
    void followOpening();
    void forgetBefore();
    void openPlayer();
    void followBounce();

    const Parameters& parameters_;
    const ModelSlot& model_;
    LiveStreams& live_;
    const bool app_;
    std::uint64_t sourceId_ = 1;
    juce::File file_;
    streaming::SessionSettings settings_;
    std::shared_ptr<streaming::LiveHistory> bounce_; // live_'s, as the views know it
    bool showsBounce_ = false;                       // unless a recording is open
    std::atomic<bool> monitorsInput_ = false;
    const std::unique_ptr<streaming::FilePlayer> player_; // null except in the desktop app
    std::unique_ptr<streaming::FileSession> recording_;
    // What was shown before recording_, until that one could be opened.
    struct Before {
        juce::File file;
        std::unique_ptr<streaming::FileSession> recording; // null: the live stream or a bounce
        bool showsBounce = false;
    };
    std::optional<Before> before_;
    juce::String refusal_;
    std::vector<std::unique_ptr<streaming::FileSession>> former_; // each ends its last pass
};

} // namespace earshot::plugin
