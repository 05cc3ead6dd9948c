// Ruler, spectrogram and lanes under one time axis, with what the pointer is on. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/TimeAxis.h"
#include "Ui/Watcher.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <memory>

namespace earshot::ui {

class TimelineView : public juce::Component {
  public:
    TimelineView(Controller& controller, Watcher& watcher, TimeAxis& axis);
    ~TimelineView() override;

    // Shows lanes whose name or AudioSet group holds this text; empty: all that are not hidden.
    void setSearch(const juce::String& text);
    // Scrolls to a class's lane and marks the stretch.
    void reveal(int classIndex, double onset, double offset);

    void resized() override;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::ui
