// Writes values of parameters as text and reads the text that users type: "0,4", "40 %", "500 ms". Text
// without a number gives the fallback. Pure functions: any thread.
#pragma once

#include <juce_core/juce_core.h>

namespace earshot::plugin {

juce::String probabilityText(float value);                                   // "0.40"
float probabilityFrom(const juce::String& text, float fallback);             // 0 to 1
juce::String sensitivityText(float value);                                   // "+1.5", "0.0"
float sensitivityFrom(const juce::String& text, float fallback, float most); // -most to most
juce::String percentText(float value);                                       // "50 %"
float percentFrom(const juce::String& text, float fallback); // 0 to 1; numbers above 1 are percent
juce::String secondsText(float value);                       // "1.5 s"
float secondsFrom(const juce::String& text, float fallback, float most); // 0 to most

// Returns the index of the nearest choice: by ratio, and 0 for 0 or less.
int nearestChoice(double value, const juce::Array<double>& choices);
// The same for the number or the time in the text; without one, the first choice.
int nearestChoice(const juce::String& text, const juce::Array<double>& choices);

} // namespace earshot::plugin
