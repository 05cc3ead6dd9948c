// The groups of AudioSet's ontology that a sound belongs to, so that people find "Dog" by "animal".
// Compiled in from Resources/audioset_groups.csv. Any thread.
#pragma once

#include <string_view>

namespace earshot::detection {

// "Animal; Domestic animals, pets" for "Dog", widest first; empty for a name AudioSet does not have. Upper
// and lower case (ASCII) are the same.
std::string_view groupsOf(std::string_view label);

} // namespace earshot::detection
