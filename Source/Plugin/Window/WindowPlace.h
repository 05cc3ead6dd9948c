// Where a window opens, and how large it may be. Rectangles are in logical pixels of the desktop. Pure
// functions: any thread.
#pragma once

#include <juce_graphics/juce_graphics.h>

#include <optional>

namespace earshot::plugin {

// The bounds for a window's content that lies within `area`, the part of a screen that is free for windows:
// no larger than it, at `position` or as near to it as fits; without a position in its middle. `titleBar`:
// the height that the system's title bar needs above the content.
juce::Rectangle<int> windowPlace(juce::Point<int> size, std::optional<juce::Point<int>> position,
                                 juce::Rectangle<int> area, int titleBar);

// What an editor has of `area`, the free part of a screen, if its host enlarges it by `hostScale`: an area of
// that many pixels of the editor. A host that tells the desktop's own scale enlarges nothing twice.
juce::Rectangle<int> areaForEditor(juce::Rectangle<int> area, double desktopScale, double hostScale);

// How many times its size a view of at least `smallest` is shown in `area`, if it is to be `percent` of it:
// no more than there is room for, unless that would be less than its size.
double zoomIn(juce::Rectangle<int> area, juce::Point<int> smallest, int percent);

} // namespace earshot::plugin
