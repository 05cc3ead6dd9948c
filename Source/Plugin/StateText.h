// Whether a text can be what JUCE makes of bytes, such as an LV2 plugin's state: "SIZE.CHARACTERS", in its
// own kind of base 64. Its decoder believes SIZE (JUCE 7 and 8), whatever it is, and throws when there is no
// such memory. Pure function: any thread.
#pragma once

#include <string_view>

namespace earshot::plugin {

bool isStateText(std::string_view text);

} // namespace earshot::plugin
