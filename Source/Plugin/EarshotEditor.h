// The plugin's editor shows one MainView, in the size that the user left it at, and enlarged as the user
// wants it (ui::ShellControl::zoom()). Message thread.
#pragma once

#include "Ui/MainView.h"
#include "Ui/NonThrowing.h"

#include <juce_audio_processors/juce_audio_processors.h>

namespace earshot::plugin {

class EarshotProcessor;

class EarshotEditor : public juce::AudioProcessorEditor, private juce::AsyncUpdater {
  public:
    explicit EarshotEditor(EarshotProcessor& owner);

    void paint(juce::Graphics&) override {} // the view fills the editor
    void resized() override;
    void setScaleFactor(float scale) override;
    ui::MainView& view() { return view_; }
    void zoomTo(int percent);
    // Takes the size that the user left it at, as far as the screen has room at the host's scale.
    void fit();

  private:
    void handleAsyncUpdate() override;

    EarshotProcessor& owner_;
    ui::NonThrowing<ui::MainView> view_;
    float scale_ = 1.0f; // the host's
    int percent_;        // as the user wants it
    double zoom_ = 1.0;  // as the screen has room for it
    bool sized_ = false; // the size was fitted: other sizes are the user's and are stored
};

} // namespace earshot::plugin
