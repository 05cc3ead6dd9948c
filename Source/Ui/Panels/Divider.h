// Between timeline and event list: dragged up and down. Message thread.
#pragma once

#include "Ui/Theme.h"

#include <functional>

namespace earshot::ui {

class Divider : public juce::Component {
  public:
    Divider() { setMouseCursor(juce::MouseCursor::UpDownResizeCursor); }

    std::function<void()> onStart;
    std::function<void(int)> onMove; // pixels down since it was taken

    void mouseDown(const juce::MouseEvent&) override { onStart(); }
    void mouseDrag(const juce::MouseEvent& event) override { onMove(event.getDistanceFromDragStartY()); }
    void mouseEnter(const juce::MouseEvent&) override { repaint(); }
    void mouseExit(const juce::MouseEvent&) override { repaint(); }
    void paint(juce::Graphics& graphics) override {
        if (!isMouseOverOrDragging()) return;
        graphics.setColour(Theme::of(*this).secondary);
        graphics.fillRoundedRectangle(getLocalBounds().toFloat().withSizeKeepingCentre(48.0f, 3.0f), 1.5f);
    }
};

} // namespace earshot::ui
