// Where the panels are at a given size of the window. Pure: any thread.
#pragma once

#include <juce_graphics/juce_graphics.h>

namespace earshot::ui {

struct MainLayout {
    juce::Rectangle<int> topBar, notice, recording, timeline, now, filter, divider, events, settings;

    struct Wishes {
        bool notice = false;
        bool recording = false;
        bool folded = false;  // the event list, to its header
        int eventsHeight = 0; // as dragged; 0: what suits the window
    };
};

// Empty rectangles for what has no room: the Now panel goes first, then the list gives way.
MainLayout layOut(juce::Rectangle<int> window, const MainLayout::Wishes& wishes);
// Whether a window of this height begins with the list folded.
bool foldsAtFirst(int height);

} // namespace earshot::ui
