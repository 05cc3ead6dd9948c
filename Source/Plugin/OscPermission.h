// To which computers OSC may go. A project can name any, and what is heard is the user's own: beyond this
// computer it goes only to those that the user has allowed, in a small file of the user's settings, never in
// a project. Any thread but the audio thread.
#pragma once

#include <juce_core/juce_core.h>

namespace earshot::plugin {

bool isThisComputer(const juce::String& host); // "localhost", "127.0.0.1", "::1"
bool mayReceive(const juce::String& host);     // this computer, or one that was allowed
// False when it cannot be kept for later.
bool allowToReceive(const juce::String& host);

} // namespace earshot::plugin
