// Teaching from a span, as views and menus do it, and what the user is told afterwards. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/Panels/StatusText.h"
#include "Ui/Timeline/Mark.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <functional>

namespace earshot::ui {

struct TeachNews {
    juce::String text; // "Added 0.8 s as an example of Creaky door ...", or why nothing was kept
    bool kept = false;

    Tone tone() const { return kept ? Tone::fine : Tone::busy; }
};

// Keeps a span of what the view model shows as an example of a sound, or, with `is` false, of what is not it.
TeachNews teachSpan(Controller& controller, const juce::String& sound, const Mark& span, bool is);

// Keeps an event as an example of what the taught sound of its lane is not.
TeachNews teachNot(Controller& controller, const detection::Event& event);

// What is taught under this name, in upper or lower case, or under what is before " (taught)", which a lesson
// adds where the model knows the name; null if nothing is.
const TaughtSound* taughtSound(const Teaching& teaching, const juce::String& name);

// Adds the entries for a span of a class: "This is...", which calls `name`, and "This is not LABEL" where
// that is taught, which teaches at once and calls `tell`. Neither is called when `owner` is gone. Where
// another stream is shown by the time the user chooses, both only call `tell`.
void addTeachEntries(juce::PopupMenu& menu, juce::Component& owner, Controller& controller,
                     const juce::String& label, const Mark& span, std::function<void()> name,
                     std::function<void(const TeachNews&)> notify);

} // namespace earshot::ui
