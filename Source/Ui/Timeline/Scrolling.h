// Scrolls and zooms the timeline, from the mouse and the keys: the time axis, and the lanes up and down. A
// drag in the ruler moves the play position of a recording that can be played, with its sound. Positions are
// logical pixels of the view. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/TimeAxis.h"

#include <juce_gui_basics/juce_gui_basics.h>

namespace earshot::ui {

class LanesView;

class Scrolling {
  public:
    // view: the parent of the lanes.
    Scrolling(juce::Component& view, Controller& controller, TimeAxis& axis, LanesView& lanes);

    // Zooms as the view state says, which keeps the zoom of the live stream alone.
    void restoreZoom();

    // A drag takes what is under the pointer along, until it stops.
    void press(const juce::MouseEvent& event);
    void drag(const juce::MouseEvent& event);
    void stop();
    void wheel(const juce::MouseEvent& event, const juce::MouseWheelDetails& wheel);
    void magnify(const juce::MouseEvent& event, float factor);
    // Returns false for a key that neither scrolls nor zooms.
    bool key(const juce::KeyPress& press);

  private:
    void zoom(double factor, double anchor); // anchor: seconds

    juce::Component& view_;
    Controller& controller_;
    TimeAxis& axis_;
    LanesView& lanes_;
    enum class Drag { nothing, axis, position } drags_ = Drag::nothing;
    bool dragsLanes_ = false;
    double startAtPress_ = 0.0; // of the axis, seconds
    int lastY_ = 0;
};

} // namespace earshot::ui
