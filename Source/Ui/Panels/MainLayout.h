// Places the panels for a given size of the view. Pure: any thread.
#pragma once

#include "Ui/Panels/Widgets.h"

#include <juce_graphics/juce_graphics.h>

#include <functional>

namespace earshot::ui {

struct MainLayout {
    juce::Rectangle<int> topBar, notice, recording, timeline, now, filter, divider, events, side, wideSide;

    struct Wishes {
        bool notice = false;
        bool recording = false;
        bool folded = false;  // whether the event list shows its header alone
        int eventsHeight = 0; // as the user dragged it; 0: choose a height that suits the view
        int panel = 0;        // the open panel's width where there is room, logical pixels; 0: none is open
    };
};

// A panel without room gets an empty rectangle: first the Now panel, then the list. The open panel lies
// below the top bar, beside the rest, and over its end where the rest would be too narrow.
MainLayout layOut(juce::Rectangle<int> view, const MainLayout::Wishes& wishes);
// Whether a view of this height starts with the list folded.
bool foldsAtFirst(int height);

// A bar between two parts of the view, which the user drags up and down, or moves by these keys. Message
// thread.
class Divider : public FocusRing<juce::Component> {
  public:
    static constexpr int keyStep = 20; // logical pixels

    Divider(const juce::String& title, const juce::String& help) {
        describe(*this, title, help);
        setMouseCursor(juce::MouseCursor::UpDownResizeCursor);
        setWantsKeyboardFocus(true);
        setMouseClickGrabsKeyboardFocus(false);
    }

    std::function<void()> onStart;
    std::function<void(int)> onMove; // Called with the pixels moved down since the drag began.

    void mouseDown(const juce::MouseEvent&) override { onStart(); }
    void mouseDrag(const juce::MouseEvent& event) override { onMove(event.getDistanceFromDragStartY()); }
    bool keyPressed(const juce::KeyPress& key) override {
        const bool up = key == juce::KeyPress(juce::KeyPress::upKey);
        if (!up && key != juce::KeyPress(juce::KeyPress::downKey)) return false;
        onStart();
        onMove(up ? -keyStep : keyStep);
        return true;
    }
    void mouseEnter(const juce::MouseEvent&) override { repaint(); }
    void mouseExit(const juce::MouseEvent&) override { repaint(); }
    void paint(juce::Graphics& graphics) override {
        if (!isMouseOverOrDragging()) return;
        graphics.setColour(Theme::of(*this).secondary);
        graphics.fillRoundedRectangle(getLocalBounds().toFloat().withSizeKeepingCentre(48.0f, 3.0f), 1.5f);
    }
};

} // namespace earshot::ui
