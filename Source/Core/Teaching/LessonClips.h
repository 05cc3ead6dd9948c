// Which clips a lesson uses. Opens files. Any thread.
//
// Of long recordings with times, the stretches around what is labelled are clips (LongRecordings.h).
//
// Of a sound with more than maxMinutes of clips, that many are used, from all of its sources alike and the
// newest first; so it is with the clips of no sound.
//
// Other sounds come with Earshot: the recordings of Models/others, of all kinds. A new sound must not be
// taken for them. Those whose name is a word of a new sound's name are left out.
#pragma once

#include "Core/Training/Data/DataSet.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace earshot::teaching {

// Of one sound: labelled stretches, or clips without times.
inline constexpr double maxMinutes = 10.0;
// Of clips of one sound, with what is beside labelled stretches. A minute takes some 4 MB of memory.
inline constexpr double maxDecodedMinutes = 60.0;

// Begins the groups of the other sounds.
inline constexpr const char* groupOfOthers = "others/";

struct LessonClips {
    // The examples, then the other sounds, which have one label behind those of the new sounds. What is left
    // out of the examples is Split::unused, all else Split::train.
    training::DataSet data;
    // "Creaky door: 10.0 of 25.3 minutes of examples were used", for each sound that has too many.
    std::vector<std::string> limits;
};

// others: as LessonSettings::others. Throws earshot::Error if that table cannot be read.
LessonClips chooseClips(training::DataSet examples, const std::filesystem::path& others);

// The table of other sounds that came with Earshot, if it is there.
std::optional<std::filesystem::path> otherSounds();

} // namespace earshot::teaching
