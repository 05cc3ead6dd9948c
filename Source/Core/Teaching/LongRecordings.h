// Long recordings with the times of their sounds: what is learnt lies in a few stretches of them, wherever
// these are. Pure functions: any thread.
#pragma once

#include "Core/Training/Data/DataSet.h"

#include <vector>

namespace earshot::teaching {

// A recording of which more than this is not used as a whole.
inline constexpr double maxWholeSeconds = 60.0;
// What is kept before and behind a labelled sound, to tell it from.
inline constexpr double contextSeconds = 5.0;

// Stretches of the clip, each around labelled sounds that lie close together, in order; seconds: the file's
// length. They are of the clip's group. Sounds behind the file's end are listed in `problems`. The clip
// itself if it has no times or is short.
std::vector<training::Clip> stretchesOf(const training::Clip& clip, double seconds,
                                        std::vector<training::Problem>& problems);

// Seconds in which the class sounds: its labelled stretches if the clip has times, else all of it (seconds).
double labelledSeconds(const training::Clip& clip, int label, double seconds);

} // namespace earshot::teaching
