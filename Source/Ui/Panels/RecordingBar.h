// Shown while a recording is open, or the last bounce is shown: its name, the progress of the analysis, and
// playback where the program can play. Message thread.
#pragma once

#include "Ui/Control/PlaybackControl.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/Widgets.h"

#include <functional>

namespace earshot::ui {

class RecordingBar : public juce::Component, private HistoryViewModel::Listener, private juce::Timer {
  public:
    static constexpr int height = 40;

    RecordingBar(PlaybackControl& playback, HistoryViewModel& viewModel);
    ~RecordingBar() override;

    void refresh();
    bool running() const;
    void playOrStop();

    std::function<void(const juce::String&)> onProblem; // why it does not play
    std::function<void()> onLoop;                       // called when the user switches the loop on or off
    std::function<void(double)> onPosition; // called with the seconds to which the user moved the position

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    void historyChanged(const HistoryViewModel::Changes& changes) override;
    void timerCallback() override;
    void tick();
    void showChannels();
    void showPosition();

    PlaybackControl& playback_;
    HistoryViewModel& viewModel_;
    Caption name_{{}, Caption::Role::text};
    NonThrowing<ShareBar> progress_;
    NonThrowing<juce::TextButton> cancel_{"Cancel"};
    NonThrowing<juce::ComboBox> channel_; // of those that are analysed each by itself
    NonThrowing<SignButton> play_;
    NonThrowing<juce::TextButton> loop_{"Loop"};
    NonThrowing<juce::ComboBox> speed_;
    NonThrowing<juce::Slider> position_{juce::Slider::LinearHorizontal, juce::Slider::NoTextBox};
    Caption time_;
    NonThrowing<juce::TextButton> close_{"Back to live"};
    bool cancels_ = false; // a bounce is its host's to stop
};

} // namespace earshot::ui
