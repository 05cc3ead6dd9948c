// Times along the top, with a mark where the shown time jumps. Draws only. Message thread.
#pragma once

#include "Ui/TimeAxis.h"
#include "Ui/Watcher.h"

#include <juce_gui_basics/juce_gui_basics.h>

namespace earshot::ui {

class Ruler : public juce::Component {
  public:
    Ruler(Watcher& watcher, TimeAxis& axis);
    void paint(juce::Graphics& graphics) override;

  private:
    Watcher& watcher_;
    TimeAxis& axis_;
};

// A line over everything at the moment a recording plays.
class PlayCursor : public juce::Component {
  public:
    PlayCursor() { setInterceptsMouseClicks(false, false); }
    void paint(juce::Graphics& graphics) override;
};

} // namespace earshot::ui
