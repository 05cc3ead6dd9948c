// The keyboard shortcuts of the view, and their list for the help. Message thread.
#pragma once

#include <juce_gui_basics/juce_gui_basics.h>

#include <optional>
#include <vector>

namespace earshot::ui {

enum class Command {
    playOrFreeze,
    loop,
    follow,
    search,
    openRecording,
    exportEvents,
    teach,
    recordings,
    settings,
    undo,
    redo,
    help,
    cancel
};

std::optional<Command> commandFor(const juce::KeyPress& key);
// Whether the key opens a context menu: Shift + F10, as on other desktops.
bool isMenuKey(const juce::KeyPress& key);

struct Shortcut {
    juce::String keys;
    juce::String does;
};
struct ShortcutGroup {
    juce::String place; // where the keys work
    std::vector<Shortcut> keys;
};
// canPlay: in the app, where recordings are listed and played, so that the space bar plays and pauses.
std::vector<ShortcutGroup> shortcuts(bool canPlay);

} // namespace earshot::ui
