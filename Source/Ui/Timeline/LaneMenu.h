// What can be done with a lane: pin, solo, hide, its own threshold. All of it is kept in the view state, by
// the sound's name. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/Safe.h"
#include "Ui/Watcher.h"

#include <juce_gui_basics/juce_gui_basics.h>

namespace earshot::ui {

void togglePinned(ViewState& view, const std::string& name);
void toggleSolo(ViewState& view, const std::string& name);
void toggleHidden(ViewState& view, const std::string& name);
void showAll(ViewState& view); // forgets what is hidden and what is solo

// classIndex -1: what concerns no lane alone. It opens beside `place` (in the owner's coordinates).
void showLaneMenu(juce::Component& owner, Controller& controller, const Watcher& watcher, int classIndex,
                  juce::Rectangle<int> place);

// A slider for one sound's threshold, and a way back to the common one.
class ThresholdPanel : public juce::Component {
  public:
    // initial: the threshold that holds now.
    ThresholdPanel(ViewState& view, std::string name, float initial);

    void resized() override;
    void paint(juce::Graphics& graphics) override;

    Safe<juce::Slider> slider;
    Safe<juce::TextButton> reset{"Use the common threshold"};

  private:
    ViewState& view_;
    std::string name_;
    float common_; // to show after a reset
};

} // namespace earshot::ui
