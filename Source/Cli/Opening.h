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

// --model, else the environment's EARSHOT_MODEL, else the default model beside the program or in its
// installation. Throws earshot::Error with the places that were searched.
std::filesystem::path locateModel(const std::optional<std::string>& fromCommandLine);
// Prints a note if this processor refuses that precision, unless `quiet`.
std::shared_ptr<const model::Weights> loadModel(const std::filesystem::path& file, model::Precision precision,
                                                bool quiet = false);

// "-" is standard input. A pipe is read only if an argument names it directly.
audio::AudioFile openAudio(const batch::Input& input);

// The hop in the model's tokens; without `seconds`, the default of the mode. Throws UsageError if it is
// longer than the stretch of a window.
int chooseHop(std::optional<double> seconds, detection::Mode mode, detection::PassShape shape,
              double secondsPerToken);

} // namespace earshot::cli
