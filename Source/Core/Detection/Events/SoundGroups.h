// Gives the groups of AudioSet's ontology that a sound belongs to, so that users find "Dog" by "animal".
// Compiled in from Resources/audioset_groups.csv. Any thread.
#pragma once

#include <string_view>

namespace earshot::detection {

// Returns "Animal; Domestic animals, pets" for "Dog", widest group first; empty if AudioSet does not have the
// label. Ignores case (ASCII).
std::string_view groupsOf(std::string_view label);

} // namespace earshot::detection
