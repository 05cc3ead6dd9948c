// The plugin's editor shows one MainView, in the size that the user left it at. Message thread.
#pragma once

#include "Ui/MainView.h"
#include "Ui/Safe.h"

#include <juce_audio_processors/juce_audio_processors.h>

namespace earshot::plugin {

class EarshotProcessor;

class EarshotEditor : public juce::AudioProcessorEditor {
  public:
    explicit EarshotEditor(EarshotProcessor& owner);

    void paint(juce::Graphics&) override {} // the view fills the editor
    void resized() override;

  private:
    EarshotProcessor& owner_;
    ui::Safe<ui::MainView> view_;
    bool sized_ = false; // the first size is set: later sizes are the user's and are stored
};

} // namespace earshot::plugin
