// The row below the lanes of sounds with events in view. It says how many sounds have none there, and opens
// and closes their lanes. Message thread.
#pragma once

#include <juce_gui_basics/juce_gui_basics.h>

namespace earshot::ui {

class MoreLanes : public juce::Button {
  public:
    static constexpr int height = 28; // logical pixels

    MoreLanes();
    // count: of the sounds without events in view; alone: no lane stands above the row; open: theirs stand
    // below.
    void show(int count, bool alone, bool open);

    void paintButton(juce::Graphics& graphics, bool highlighted, bool down) override;

  private:
    bool open_ = false;
};

} // namespace earshot::ui
