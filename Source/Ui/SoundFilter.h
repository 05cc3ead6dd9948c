// Which sounds are shown, in lists and as lanes: not hidden, those that are solo where there are any, and
// what a search finds. Pure: any thread.
#pragma once

#include "Core/Detection/Events/Labels.h"
#include "Ui/ViewState.h"

#include <juce_core/juce_core.h>

#include <span>
#include <string_view>
#include <vector>

namespace earshot::ui {

// Every word of the search stands in the sound's name or in a group of AudioSet's that holds it; upper and
// lower case are the same. An empty search finds everything.
bool matchesSearch(std::string_view label, const juce::String& search);

// (classes): what lists show.
std::vector<bool> shownSounds(const detection::Labels& labels, const ViewSettings& view,
                              const juce::String& search);

// Lanes, top to bottom: pinned ones first, by name; then as ordered. A search looks through hidden ones too.
std::vector<int> shownLanes(const detection::Labels& labels, std::span<const int> order,
                            const ViewSettings& view, const juce::String& search);

} // namespace earshot::ui
