// Which channels of a file make its mix. Ambisonics are not averaged: W is the sound from all directions, and
// the other channels of B-format and AmbiX would cancel it for some of them. A channel for low-frequency
// effects (LFE) is no part of a mix either. Reads a little of the file and leaves its position as it is. One
// thread at a time.
#pragma once

#include "Core/Audio/InputFile.h"

#include <cstddef>
#include <string>
#include <vector>

namespace earshot::audio {

struct ChannelLayout {
    std::vector<std::size_t> mixed; // channels of the mix, from 0
    bool ambisonic = false;
    bool byName = false; // the file's name alone says that it is
};

// What the header says, else the name (".amb", "ambix").
ChannelLayout channelLayout(InputFile& input, int channels);

} // namespace earshot::audio
