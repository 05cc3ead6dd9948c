// Writes values of parameters as text and reads the text that users type: "0,4", "40 %", "500 ms", "3
// columns". Text without a number gives the fallback. Pure functions: any thread.
#pragma once

#include <juce_core/juce_core.h>

namespace earshot::plugin {

juce::String probabilityText(float value);                       // "0.40"
float probabilityFrom(const juce::String& text, float fallback); // 0 to 1
juce::String percentText(float value);                           // "50 %"
float percentFrom(const juce::String& text, float fallback);     // 0 to 1; numbers above 1 are percent
juce::String secondsText(float value);                           // "1.5 s"
float secondsFrom(const juce::String& text, float fallback, float most); // 0 to most

// The columns of hop and median filter are 0.32 s each, whatever the model's columns are.
inline constexpr double secondsPerChoice = 0.32;
juce::String columnsText(int columns); // "3 columns (0.96 s)"
// Returns the index of the choice that is nearest to the number of columns or seconds in the text. "Off" is
// the first choice.
int columnsFrom(const juce::String& text, const juce::Array<int>& columns, int fallback);

} // namespace earshot::plugin
