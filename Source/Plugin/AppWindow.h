// The desktop app's window around the plugin's editor, where the user left it. Message thread.
#pragma once

#include <juce_audio_processors/juce_audio_processors.h>

namespace earshot::plugin {

class AppWindow : public juce::DocumentWindow {
  public:
    AppWindow(juce::AudioProcessor& processor, juce::PropertiesFile& settings);
    ~AppWindow() override;

    void closeButtonPressed() override;
    void moved() override;

  private:
    void savePlace();

    juce::AudioProcessor& processor_;
    juce::PropertiesFile& settings_;
    bool placed_ = false; // from here on the place is the user's
};

} // namespace earshot::plugin
