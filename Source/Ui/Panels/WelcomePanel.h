// What the app shows before there is any audio: where to begin. Message thread.
#pragma once

#include "Ui/NonThrowing.h"
#include "Ui/Panels/Widgets.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <functional>

namespace earshot::ui {

class WelcomePanel : public juce::Component {
  public:
    // demo: the recording that came with the app; it need not exist.
    explicit WelcomePanel(const juce::File& demo);

    // problem: why no audio device is open, a sentence; empty: one is.
    void setProblem(const juce::String& problem);

    std::function<void()> onOpen;
    std::function<void(const juce::File&)> onDemo;
    std::function<void()> onAudioSettings;

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    NonThrowing<Caption> title_{"Drop recordings here", Caption::Role::heading};
    NonThrowing<Caption> text_{
        "Earshot lists every sound in them with its onset and offset. Or listen live."};
    NonThrowing<Caption> problem_;
    NonThrowing<juce::TextButton> open_{juce::CharPointer_UTF8("Open\xe2\x80\xa6")};
    NonThrowing<juce::TextButton> demo_{"Try the demo"};
    NonThrowing<juce::TextButton> audio_{"Choose a microphone"};
};

} // namespace earshot::ui
