// Where the panels are at a given size of the view. Pure: any thread.
#pragma once

#include "Ui/Theme.h"

#include <juce_graphics/juce_graphics.h>

#include <functional>

namespace earshot::ui {

struct MainLayout {
    juce::Rectangle<int> topBar, notice, recording, timeline, now, filter, divider, events, settings;

    struct Wishes {
        bool notice = false;
        bool recording = false;
        bool folded = false;  // the event list, to its header
        int eventsHeight = 0; // as dragged; 0: what suits the view
    };
};

// Empty rectangles for what has no room: the Now panel goes first, then the list gives way.
MainLayout layOut(juce::Rectangle<int> view, const MainLayout::Wishes& wishes);
// Whether a view of this height begins with the list folded.
bool foldsAtFirst(int height);

// Between timeline and event list: dragged up and down. Message thread.
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
