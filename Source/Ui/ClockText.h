// Seconds as people read them. Pure functions: any thread.
#pragma once

#include <juce_core/juce_core.h>

namespace earshot::ui {

// "01:02.9", "1:01:02.9" from an hour on, "-00:01.5" before zero. decimals: 0 to 3.
juce::String clockText(double seconds, int decimals = 1);

} // namespace earshot::ui
