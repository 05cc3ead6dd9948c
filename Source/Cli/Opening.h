// Opens what the command line names: models and recordings. Main thread.
#pragma once

#include "Core/Audio/AudioFile.h"
#include "Core/Batch/Inputs.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Model/Weights.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace earshot::cli {

// --model, else the environment's EARSHOT_MODEL, else the default model beside the program or where it is
// installed. Throws earshot::Error that lists where it looked.
std::filesystem::path locateModel(const std::optional<std::string>& fromCommandLine);
// Where that precision is refused here, says so unless `quiet`.
std::shared_ptr<const model::Weights> loadModel(const std::filesystem::path& file, model::Precision precision,
                                                bool quiet = false);

// "-" is standard input; a pipe is read only where an argument of its own names it.
audio::AudioFile openAudio(const batch::Input& input);

// How far windows advance, in the model's tokens; without `seconds`, the usual hop of the mode. Throws
// UsageError beyond the stretch that a window hears.
int chooseHop(std::optional<double> seconds, detection::Mode mode, detection::PassShape shape,
              double secondsPerToken);

} // namespace earshot::cli
