// Where a window opens. Rectangles are in logical pixels of the desktop. A pure function: any thread.
#pragma once

#include <juce_graphics/juce_graphics.h>

#include <optional>

namespace earshot::plugin {

// The bounds for a window's content that lies within `area`, the part of a screen that is free for windows:
// no larger than it, at `position` or as near to it as fits; without a position in its middle. `titleBar`:
// the height that the system's title bar needs above the content.
juce::Rectangle<int> windowPlace(juce::Point<int> size, std::optional<juce::Point<int>> position,
                                 juce::Rectangle<int> area, int titleBar);

} // namespace earshot::plugin
