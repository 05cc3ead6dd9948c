// What can be done with a lane, from its context menu and by keys: pin, solo, hide, and a threshold of its
// own, which the view state keeps by the sound's name. A word can also be renamed, moved and removed. Message
// thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/NamePanel.h"
#include "Ui/Panels/Widgets.h"

#include <juce_gui_basics/juce_gui_basics.h>

namespace earshot::ui {

void togglePinned(ViewState& view, const std::string& name);

// classIndex -1: only the entries that concern no single lane. What the entries open stands beside `place`
// (in the owner's coordinates). They stand below those of `menu`.
juce::PopupMenu laneMenu(juce::Component& owner, Controller& controller, const HistoryViewModel& viewModel,
                         int classIndex, juce::Rectangle<int> place, juce::PopupMenu menu = {});
// Beside `place`.
void showLaneMenu(juce::Component& owner, juce::PopupMenu menu, juce::Rectangle<int> place);

// Pins, solos, hides, renames or removes a lane, by the keys that its menu names. Returns false for other
// keys. word: null if the lane is not that of a word. A name is asked for beside `place` (in the owner's
// coordinates).
bool laneKey(juce::Component& owner, Controller& controller, const juce::String& label, const Word* word,
             const juce::KeyPress& key, juce::Rectangle<int> place);

// Asks for the name of a word's lane.
class RenamePanel : public NamePanel {
  public:
    RenamePanel(Controller& controller, const Word& word);
};

// The threshold that a sound has without one of its own.
float commonThreshold(const Controller& controller, const HistoryViewModel& viewModel, int classIndex);

// A slider for the threshold of one sound, with a button back to the one that the sensitivity gives.
class ThresholdPanel : public juce::Component {
  public:
    // common: the threshold without one of its own.
    ThresholdPanel(ViewState& view, std::string name, float common);

    void resized() override;
    void paint(juce::Graphics& graphics) override;

    NonThrowing<juce::Slider> slider;
    NonThrowing<juce::TextButton> reset{"Follow Sensitivity again"};

  private:
    ViewState& view_;
    std::string name_;
    float common_; // shown after a reset
};

} // namespace earshot::ui
