// The plugin's editor: one MainView, as large as the user left it. Message thread.
#pragma once

#include "Ui/MainView.h"
#include "Ui/Safe.h"

#include <juce_audio_processors/juce_audio_processors.h>

namespace earshot::plugin {

class EarshotProcessor;

class EarshotEditor : public juce::AudioProcessorEditor {
  public:
    explicit EarshotEditor(EarshotProcessor& owner);

    void paint(juce::Graphics&) override {} // the view fills it
    void resized() override;

  private:
    EarshotProcessor& owner_;
    ui::Safe<ui::MainView> view_;
    bool sized_ = false; // the size is the user's from here on
};

} // namespace earshot::plugin
