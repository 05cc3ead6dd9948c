// What a user chose on this computer, for all projects: small files in the folder of the user's settings.
#pragma once

#include <juce_core/juce_core.h>

namespace earshot::plugin {

// To which computers OSC may go. A project can name any, and what is heard is the user's own: beyond this
// computer it goes only to those that the user has allowed, here and never in a project. Any thread but the
// audio thread.
bool isThisComputer(const juce::String& host); // "localhost", "127.0.0.1", "::1"
bool mayReceive(const juce::String& host);     // this computer, or one that was allowed
// False when it cannot be kept for later.
bool allowToReceive(const juce::String& host);

// The models that were opened last, newest first. Message thread.
juce::Array<juce::File> recentModels(); // those that are still there
// A file that cannot be written is ignored: no more than a convenience.
void rememberModel(const juce::File& model);

} // namespace earshot::plugin
