// The models a user opened last, newest first, in a small file of the user's settings. Message thread.
#pragma once

#include <juce_core/juce_core.h>

namespace earshot::plugin {

juce::Array<juce::File> recentModels(); // those that are still there
// A file that cannot be written is ignored: no more than a convenience.
void rememberModel(const juce::File& model);

} // namespace earshot::plugin
