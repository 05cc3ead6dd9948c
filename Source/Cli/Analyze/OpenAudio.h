// Opens a recording that the command line names. Main thread.
#pragma once

#include "Core/Audio/AudioFile.h"
#include "Core/Batch/Inputs.h"

namespace earshot::cli {

// "-" is standard input; a pipe is read only where an argument of its own names it.
audio::AudioFile openAudio(const batch::Input& input);

} // namespace earshot::cli
