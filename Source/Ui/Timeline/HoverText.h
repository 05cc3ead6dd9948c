// What the tip beside the pointer says. Pure functions over the watcher: message thread.
#pragma once

#include "Ui/Watcher.h"

namespace earshot::ui {

struct HoverText {
    juce::String title;  // "Brass · 01:17.4 · 0.46"
    juce::String detail; // why it is no event, or the event's span; may be empty
    juce::String advice; // what would have let it in; only of a near miss

    bool operator==(const HoverText&) const = default;
};

HoverText laneText(const Watcher& watcher, int classIndex, double seconds);
HoverText spectrogramText(const Watcher& watcher, double seconds, double hertz);

// "Lower the threshold of this sound to 0.46 to let it in."
juce::String letIn(const detection::NearMiss& miss);

} // namespace earshot::ui
