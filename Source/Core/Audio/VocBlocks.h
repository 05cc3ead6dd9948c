// Creative Voice files: their sound lies in blocks, with the header of each in the midst of it. libsndfile
// reads one block alone, and takes the headers of the others for sound. One thread at a time.
#pragma once

#include "Core/Audio/InputFile.h"

namespace earshot::audio {

// From here on a VOC file reads as a WAV that holds the sound of all its blocks, with its silence; loops are
// played once. Leaves other files as they are, and those of one block whose sound is not PCM, a-law or
// mu-law. Throws Error if blocks differ in rate, channels or encoding.
void joinVocBlocks(InputFile& input);

} // namespace earshot::audio
