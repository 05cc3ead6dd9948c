// Class names as people type them. Pure functions.
#pragma once

#include "Core/Detection/Events/Labels.h"

#include <string_view>
#include <vector>

namespace earshot::cli {

// The class of that name, whatever its case. Throws UsageError with the nearest names.
int findLabel(const detection::Labels& labels, std::string_view name);

// Classes of a comma-separated list. A name may hold commas itself ("Gunshot, explosion"): the longest run of
// parts that is a name counts.
std::vector<int> findLabels(const detection::Labels& labels, std::string_view list);

} // namespace earshot::cli
