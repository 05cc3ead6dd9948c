// Stores choices of the user for all projects on this computer, in small files in the user's settings folder.
#pragma once

#include <juce_core/juce_core.h>

namespace earshot::plugin {

// The user's settings folder: $XDG_CONFIG_HOME/Earshot on Linux where that is an absolute path, else
// Earshot in JUCE's folder. It need not exist. Any thread.
juce::File configFolder();

// The computers that OSC may be sent to. Detected sounds are private, and a project may name any host.
// Messages therefore leave this computer only for hosts that the user has allowed. This list, not the
// project, stores the allowed hosts. Any thread but the audio thread.
bool isThisComputer(const juce::String& host); // "localhost", 127.0.0.0/8, "::1"
bool mayReceive(const juce::String& host);     // this computer, or an allowed one
// Returns false if the list cannot be written.
bool allowToReceive(const juce::String& host);

// The models that were opened last, newest first: only files that still exist. Any thread but the audio
// thread.
juce::Array<juce::File> recentModels();
// Message thread. Ignores an error when the list cannot be written, because the list is only a convenience.
void rememberModel(const juce::File& model);

// How large views are, in percent (ui::ShellControl::zoom()); 100 if nothing else was chosen. Message thread.
// An error is ignored, as above.
int zoomOfViews();
void rememberZoom(int percent);

// The folder of the examples from which sounds are taught: the one that was opened last, else
// Earshot/Collection in the user's documents or, where a host may not write there, in the user's settings
// folder. It need not exist. Any thread but the audio thread.
juce::File collectionFolder();
void rememberCollection(const juce::File& folder); // an error is ignored, as above
// The file that a running lesson locks.
juce::File lessonLock();
// The folder of taught models that were made again for projects. It need not exist. Any thread but the audio
// thread.
juce::File remadeModels();

} // namespace earshot::plugin
