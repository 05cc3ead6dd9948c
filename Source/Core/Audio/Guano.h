// Reads the GUANO metadata of a WAV file, which recorders of bats and birds write: lines of text in a chunk
// "guan" (https://github.com/riggsd/guano-spec). Reads a bounded part of the file and leaves its position as
// it is. One thread at a time.
#pragma once

#include "Core/Audio/InputFile.h"

#include <map>
#include <string>
#include <string_view>

namespace earshot::audio {

// Fields by their whole names ("Timestamp", "WA|Song Meter|Prefix"), with values as they stand there.
using Guano = std::map<std::string, std::string, std::less<>>;

// Returns no fields if there are none, or the text is not GUANO. The first of two fields of a name counts.
Guano parseGuano(std::string_view text);
// Returns no fields if the file is no WAV, or has none.
Guano readGuano(InputFile& input);

// How many times slower than it sounded the file plays, as GUANO's TE says; 1: it does not. `problem` says
// why TE was not followed: a clause for the user.
struct TimeExpansion {
    double factor = 1.0;
    std::string problem;
};
// sampleRate: the file's own, in Hz. The specification says that Samplerate is TE times that.
TimeExpansion timeExpansion(const Guano& fields, int sampleRate);

} // namespace earshot::audio
