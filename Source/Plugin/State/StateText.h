// Checks a text before JUCE decodes it to bytes, such as an LV2 plugin's state. JUCE writes "SIZE.CHARACTERS"
// in its own variant of base 64. Its decoder (JUCE 7 and 8) allocates SIZE bytes without a check, and throws
// if there is not enough memory. Pure function: any thread.
#pragma once

#include <string_view>

namespace earshot::plugin {

// Returns whether the text has the form above and enough characters for SIZE bytes.
bool isStateText(std::string_view text);

} // namespace earshot::plugin
