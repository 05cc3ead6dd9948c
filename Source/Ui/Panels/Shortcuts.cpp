#include "Ui/Panels/Shortcuts.h"

namespace earshot::ui {

namespace {

constexpr auto command = juce::ModifierKeys::commandModifier;

// Ctrl, or Cmd on a Mac
juce::String withCommand(char letter) {
    return juce::KeyPress(letter, command, 0).getTextDescription().replace("ctrl", "Ctrl");
}

} // namespace

std::optional<Command> commandFor(const juce::KeyPress& key) {
    if (key == juce::KeyPress(juce::KeyPress::spaceKey)) return Command::playOrFreeze;
    if (key == juce::KeyPress(juce::KeyPress::escapeKey)) return Command::cancel;
    if (key == juce::KeyPress('f', command, 0)) return Command::search;
    if (key == juce::KeyPress('o', command, 0)) return Command::openRecording;
    if (key == juce::KeyPress('e', command, 0)) return Command::exportEvents;
    if (key == juce::KeyPress(',', command, 0) || key == juce::KeyPress(juce::KeyPress::F1Key))
        return Command::settings;
    if (key == juce::KeyPress('f', juce::ModifierKeys(), 0)) return Command::follow;
    if (key == juce::KeyPress('t', juce::ModifierKeys(), 0)) return Command::teach;
    if (key == juce::KeyPress('l', juce::ModifierKeys(), 0)) return Command::recordings;
    return std::nullopt;
}

bool isMenuKey(const juce::KeyPress& key) {
    return key == juce::KeyPress(juce::KeyPress::F10Key, juce::ModifierKeys::shiftModifier, 0);
}

std::vector<Shortcut> shortcuts(bool canPlay) {
    std::vector<Shortcut> all = {
        {"Space", canPlay ? "Play or stop the recording; freeze the live view" : "Freeze or go on"},
        {"F", "Follow the newest sound again"},
        {"T", "Teach sounds"},
        {withCommand('F'), "Find a sound"},
        {withCommand('O'), "Open a recording"},
        {withCommand('E'), "Export the events"},
        {juce::String(juce::CharPointer_UTF8("← →, + −")), "In the timeline: move, zoom"},
        {juce::String(juce::CharPointer_UTF8("↑ ↓, then P, S, H")),
         "In the timeline: choose a sound; pin it, show it alone, hide it"},
        {"A", "In the timeline: show all sounds, or only those with events in view"},
        {", .", "In the timeline: choose the event or near miss before or after"},
        {"M", "In the timeline: mark the chosen event, or a second; in the list: mark the event"},
        {juce::String(juce::CharPointer_UTF8("R, Delete, Shift + ↑ ↓")),
         "In the timeline: rename, remove or move a word"},
        {juce::String(juce::CharPointer_UTF8("Return, Delete, Shift + ← →")),
         "In the timeline, with a mark: name it, remove it, move it"},
        {"[ ], { }", "In the timeline, with a mark: move its beginning, its end"},
        {"Shift + F10", "In the timeline or the list: open the menu"},
        {juce::String(juce::CharPointer_UTF8("Tab, then Return or ↑ ↓")),
         "Go to the next control; press it or change it"},
        {withCommand('A') + ", " + withCommand('C'), "In the list: select all, copy as text"},
        {"Return", "In the list: go to the event; in the search: listen for the text"},
        {"F1", "These settings"},
        {"Escape", "Close the panel, remove the mark, or clear the search"},
    };
    if (canPlay) {
        all.push_back({"L", "Recordings: list several, hear them all, find their events"});
        all.push_back(
            {"Return, Space, Delete",
             "In the recordings: open one, or go to an event; play the event; remove from the list"});
    }
    return all;
}

} // namespace earshot::ui
