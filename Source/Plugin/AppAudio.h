// The desktop app's sound card: runs the processor on it, sends its notes to the MIDI port that was chosen,
// and remembers both. Message thread.
#pragma once

#include "Ui/Theme.h"

#include <juce_audio_utils/juce_audio_utils.h>

#include <memory>

namespace earshot::plugin {

class AppAudio : private juce::ChangeListener {
  public:
    AppAudio(juce::AudioProcessor& processor, juce::PropertiesFile& settings);
    ~AppAudio() override;

    // A window with devices, rates and ports; in front if it is open already.
    void showSettings(ui::ThemeChoice theme);

  private:
    void changeListenerCallback(juce::ChangeBroadcaster*) override;

    juce::PropertiesFile& settings_;
    juce::AudioDeviceManager devices_;
    juce::AudioProcessorPlayer player_;
    std::unique_ptr<ui::Theme> theme_; // of the window
    juce::Component::SafePointer<juce::DialogWindow> window_;
};

} // namespace earshot::plugin
