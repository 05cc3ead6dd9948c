// The keys of the whole view, and the list of them that the settings show. Message thread.
#pragma once

#include <juce_gui_basics/juce_gui_basics.h>

#include <optional>
#include <vector>

namespace earshot::ui {

enum class Command { playOrFreeze, follow, search, openRecording, exportEvents, settings, cancel };

std::optional<Command> commandFor(const juce::KeyPress& key);

struct Shortcut {
    juce::String keys;
    juce::String does;
};
// canPlay: recordings can be played, so that space does that.
std::vector<Shortcut> shortcuts(bool canPlay);

} // namespace earshot::ui
