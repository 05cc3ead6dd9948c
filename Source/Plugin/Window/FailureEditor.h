// Stands where the editor could not be opened, and says why. Message thread.
#pragma once

#include <juce_audio_processors/juce_audio_processors.h>

namespace earshot::plugin {

class FailureEditor : public juce::AudioProcessorEditor {
  public:
    FailureEditor(juce::AudioProcessor& owner, const juce::String& cause)
        : juce::AudioProcessorEditor(owner)
        , text_({}, "The window of Earshot could not be opened: " + cause) {
        text_.setJustificationType(juce::Justification::centred);
        addAndMakeVisible(text_);
        setSize(480, 160);
    }

    void paint(juce::Graphics& graphics) override { graphics.fillAll(juce::Colours::black); }
    void resized() override { text_.setBounds(getLocalBounds().reduced(16)); }
    juce::String text() const { return text_.getText(); }

  private:
    juce::Label text_;
};

} // namespace earshot::plugin
