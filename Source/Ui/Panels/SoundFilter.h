// Which sounds are shown: not hidden, solo where there is one, and what the search finds. Pure: any thread.
#pragma once

#include "Core/Detection/Events/Labels.h"
#include "Ui/ViewState.h"

#include <string>
#include <string_view>
#include <vector>

namespace earshot::ui {

// Every word of the search stands in the sound's name or in a group of AudioSet's that holds it; upper and
// lower case are the same. An empty search finds everything.
bool matchesSearch(std::string_view label, std::string_view search);

// (classes)
std::vector<bool> shownSounds(const detection::Labels& labels, const ViewSettings& view,
                              std::string_view search);

} // namespace earshot::ui
