#include "Cli/Analyze/OpenAudio.h"

namespace earshot::cli {

audio::AudioFile openAudio(const batch::Input& input) {
    if (input.name == "-") return audio::AudioFile::fromStandardInput();
    return audio::AudioFile(input.path, input.named ? Pipes::read : Pipes::refused);
}

} // namespace earshot::cli
