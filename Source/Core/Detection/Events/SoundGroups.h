// The groups of AudioSet's ontology that contain a sound, so that people find "Dog" by "animal". Compiled in
// from Resources/audioset_groups.csv. Any thread.
#pragma once

#include <string_view>

namespace earshot::detection {

// "Animal; Domestic animals, pets" for "Dog", the widest group first. Empty for a name that AudioSet does not
// have. Case (ASCII) does not matter.
std::string_view groupsOf(std::string_view label);

} // namespace earshot::detection
