// The context menu of a lane: pin, solo, hide, and a threshold of its own. The view state keeps them by the
// sound's name. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/Safe.h"
#include "Ui/Watcher.h"

#include <juce_gui_basics/juce_gui_basics.h>

namespace earshot::ui {

void togglePinned(ViewState& view, const std::string& name);
void toggleSolo(ViewState& view, const std::string& name);
void toggleHidden(ViewState& view, const std::string& name);
void showAll(ViewState& view); // clears hidden and solo sounds

// classIndex -1: only the entries that concern no single lane. The menu opens beside `place` (in the owner's
// coordinates).
void showLaneMenu(juce::Component& owner, Controller& controller, const Watcher& watcher, int classIndex,
                  juce::Rectangle<int> place);

// A slider for the threshold of one sound, with a button back to the common threshold.
class ThresholdPanel : public juce::Component {
  public:
    // initial: the threshold that applies now.
    ThresholdPanel(ViewState& view, std::string name, float initial);

    void resized() override;
    void paint(juce::Graphics& graphics) override;

    Safe<juce::Slider> slider;
    Safe<juce::TextButton> reset{"Use the common threshold"};

  private:
    ViewState& view_;
    std::string name_;
    float common_; // shown after a reset
};

} // namespace earshot::ui
