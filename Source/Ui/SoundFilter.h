// Which sounds lists and lanes show: those that are not hidden, only solo ones if there are any, and only
// those that the search finds. Pure: any thread.
#pragma once

#include "Core/Detection/Events/Labels.h"
#include "Ui/ViewState.h"

#include <juce_core/juce_core.h>

#include <span>
#include <string_view>
#include <vector>

namespace earshot::ui {

// Whether only solo sounds are shown. Solo is ignored if none of the solo sounds exists in this model;
// otherwise nothing would be shown.
bool anySolo(const detection::Labels& labels, const ViewSettings& view);

// Whether the sound's name, or an AudioSet group that contains it, holds every word of the search, in upper
// or lower case. An empty search finds everything.
bool matchesSearch(std::string_view label, const juce::String& search);

// (classes): which classes the lists show.
std::vector<bool> shownSounds(const detection::Labels& labels, const ViewSettings& view,
                              const juce::String& search);

// Class indices of the lanes, top to bottom: `first` in its order, then pinned ones by name, then the others
// in `order`. A search also finds hidden ones.
std::vector<int> shownLanes(const detection::Labels& labels, std::span<const int> order,
                            const ViewSettings& view, const juce::String& search,
                            std::span<const int> first = {});

} // namespace earshot::ui
