// What is around the views: the editor's window and the desktop app's audio device. Message thread.
#pragma once

#include "Plugin/Playback/Playback.h"
#include "Ui/Control/ShellControl.h"

#include <juce_audio_processors/juce_audio_processors.h>

#include <functional>

namespace earshot::plugin {

class Shell : public ui::ShellControl {
  public:
    Shell(juce::AudioProcessor& processor, Playback& playback)
        : processor_(processor)
        , playback_(playback) {}

    // The desktop app sets these: they show its audio settings, and say why its device is not open, or its
    // settings are not stored.
    std::function<void()> audioSettings;
    std::function<juce::String()> audioProblems, settingsProblems;

    int zoom() const override;
    void setZoom(int percent) override;
    bool hasLog() const override;
    void showLog() override;
    void showManual() override;
    void reveal(const juce::File& file) override { file.revealToUser(); }
    bool hasAudioSettings() const override { return audioSettings != nullptr; }
    void showAudioSettings() override;
    juce::String audioProblem() const override { return audioProblems ? audioProblems() : juce::String(); }
    juce::String settingsProblem() const override {
        return settingsProblems ? settingsProblems() : juce::String();
    }
    bool monitorsInput() const override { return playback_.monitorsInput(); }
    void setMonitorsInput(bool monitors) override { playback_.setMonitorsInput(monitors); }

  private:
    juce::AudioProcessor& processor_;
    Playback& playback_;
};

} // namespace earshot::plugin
