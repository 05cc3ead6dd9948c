#include "Ui/Panels/Shortcuts.h"

#include <utility>

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
    if (key == juce::KeyPress(',', command, 0)) return Command::settings;
    if (key == juce::KeyPress(juce::KeyPress::F1Key)) return Command::help;
    if (key == juce::KeyPress('z', command, 0)) return Command::undo;
    if (key == juce::KeyPress('z', command | juce::ModifierKeys::shiftModifier, 0) ||
        key == juce::KeyPress('y', command, 0))
        return Command::redo;
    if (key == juce::KeyPress('f', juce::ModifierKeys(), 0)) return Command::follow;
    if (key == juce::KeyPress('t', juce::ModifierKeys(), 0)) return Command::teach;
    if (key == juce::KeyPress('l', juce::ModifierKeys(), 0)) return Command::recordings;
    if (key == juce::KeyPress('l', juce::ModifierKeys::shiftModifier, 0)) return Command::loop;
    return std::nullopt;
}

bool isMenuKey(const juce::KeyPress& key) {
    return key == juce::KeyPress(juce::KeyPress::F10Key, juce::ModifierKeys::shiftModifier, 0);
}

std::vector<ShortcutGroup> shortcuts(bool canPlay) {
    const auto text = [](const char* utf8) { return juce::String::fromUTF8(utf8); };
    std::vector<Shortcut> everywhere = {
        {"Space", canPlay ? "Play or stop the recording; freeze the live view" : "Freeze, or go on"},
        {"F", "Follow the newest sound again"},
        {"T", "Teach sounds"},
        {withCommand('F'), "Find a sound"},
        {withCommand('O'), "Open a recording"},
        {withCommand('E'), "Export the events"},
        {withCommand('Z'), "Undo a preset, threshold, pin, hidden sound, mark or example; with Shift: redo"},
        {withCommand(','), "Settings"},
        {"F1", "This help"},
        {"Tab", "Go to the next control; Return presses it, arrows change it"},
        {"Escape", "Close the panel, remove the mark, or clear the search"},
    };
    if (canPlay) everywhere.insert(everywhere.begin() + 3, {"L", "Recordings: list and analyse several"});
    if (canPlay)
        everywhere.insert(everywhere.begin() + 1, {"Shift + L", "Play the mark in a loop, or end the loop"});
    std::vector<ShortcutGroup> all = {
        {"Everywhere", std::move(everywhere)},
        {"Timeline",
         {{text("← →"), "Move"},
          {text("+ −"), "Zoom"},
          {"Home, End", "Go to the beginning, to the newest sound"},
          {text("↑ ↓"), "Choose a sound"},
          {"P, S, H", "Pin it, show it alone, hide it"},
          {"A", "Show all sounds, or only those with events in view"},
          {", .", "Choose its event or near miss before or after"},
          {"I", "Include the near miss that a note is about"},
          {"M", "Mark the chosen event, or a second"},
          {"R, Delete", "Rename, remove a word"},
          {text("Shift + ↑ ↓"), "Move a word"},
          {"Shift + F10", "Open the menu of the chosen sound"}}},
        {"Timeline, with a mark",
         {{"Return", "Name it"},
          {"Delete", "Remove it"},
          {text("Shift + ← →"), "Move it"},
          {"[ ], { }", "Move its beginning, its end"}}},
        {"Event list",
         {{"Return", "Go to the event"},
          {"Space", canPlay ? "Play it, or stop" : "Only in the app"},
          {"M", "Mark it"},
          {"R, W", "Judge it right or wrong; the same key again removes the judgement"},
          {"N", "Go to the next event without a judgement"},
          {withCommand('A'), "Select all"},
          {withCommand('C'), "Copy as a table with tabs"},
          {"Shift + F10", "Open its menu"}}},
    };
    if (canPlay)
        all.push_back({"Recordings",
                       {{"Return", "Open the recording, or go to the event"},
                        {"Space", "Play the event, or stop"},
                        {"Delete", "Remove the recording from the list; its file stays"}}});
    return all;
}

} // namespace earshot::ui
