// Which lanes are shown, top to bottom: pinned ones first, by name; then as ordered. Hidden ones are left
// out, and when any is solo only those stay. A search looks through all of them. Message thread.
#pragma once

#include "Core/Detection/Events/Labels.h"
#include "Ui/ViewState.h"

#include <juce_core/juce_core.h>

#include <span>
#include <vector>

namespace earshot::ui {

// Whether a sound's name or one of its AudioSet groups holds the text, upper and lower case being the same.
bool matchesSearch(const std::string& label, const juce::String& text);

std::vector<int> shownLanes(const detection::Labels& labels, std::span<const int> order,
                            const ViewSettings& view, const juce::String& search);

} // namespace earshot::ui
