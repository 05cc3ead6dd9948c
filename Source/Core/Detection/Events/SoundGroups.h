// Gives the groups of AudioSet's ontology that a sound belongs to, so that users find "Dog" by "animal", and
// sounds of a kind have a colour in common.
// Compiled in from Resources/audioset_groups.csv. Any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace earshot::detection {

// Returns "Animal; Domestic animals, pets" for "Dog", widest group first; empty if AudioSet does not have the
// label. Ignores case (ASCII).
std::string_view groupsOf(std::string_view label);

// The ontology's widest groups. unplaced: sounds of unknown sources, of the recording itself ("Inside, small
// room"), and those that AudioSet does not have.
enum class SoundFamily { people, animals, music, nature, things, unplaced };
inline constexpr std::size_t soundFamilies = 6;

// Of a sound that belongs to several groups, the first. Ignores case (ASCII).
SoundFamily familyOf(std::string_view label);
// "People", "Animals", ...; "Other" for what is unplaced.
std::string_view familyName(SoundFamily family);

} // namespace earshot::detection
