// Opens the models and recordings that the command line names. Main thread.
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

// Returns --model if given, else the environment's EARSHOT_MODEL, else the default model beside the program
// or where it is installed. Throws earshot::Error, which lists the places that were searched.
std::filesystem::path locateModel(const std::optional<std::string>& fromCommandLine);
// Prints a note if this CPU would be slow at that precision, or these blocks are not computed in it, and
// therefore another one is used.
void notePrecision(model::Precision precision, bool quiet, model::BlockKind block = model::BlockKind::v1);
// Loads the weights and calls notePrecision() for them.
std::shared_ptr<const model::Weights> loadModel(const std::filesystem::path& file, model::Precision precision,
                                                bool quiet = false);

// Opens a recording; "-" is standard input. A pipe is read only if an argument names it, not if a folder, a
// pattern or a list holds it.
audio::AudioFile openAudio(const batch::Input& input, const audio::ReadOptions& options = {});

// Returns the hop in the model's tokens. Without `seconds`, it is the usual hop of the mode. Throws
// UsageError if the hop is not positive or would leave gaps between windows.
int chooseHop(std::optional<double> seconds, detection::Mode mode, detection::PassShape shape,
              double secondsPerToken);

} // namespace earshot::cli
