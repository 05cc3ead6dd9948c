// Opens the models and recordings that the command line names. Main thread.
#pragma once

#include "Cli/Options.h"
#include "Core/Audio/AudioFile.h"
#include "Core/Batch/Inputs.h"
#include "Core/Detection/Detector.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Model/Weights.h"

#include <memory>
#include <optional>

namespace earshot::cli {

// Returns --model if given, else the environment's EARSHOT_MODEL, else the default model beside the program
// or where it is installed. Throws earshot::Error, which lists the places that were searched.
model::ModelSource locateModel(const ModelOptions& options);
// Prints a note if this CPU would be slow at that precision, or these blocks are not computed in it, and
// therefore another one is used.
void notePrecision(model::Precision precision, bool quiet, model::BlockKind block = model::BlockKind::v1);
// Prints notes on the network that is used of several, and on what was assumed.
void noteReading(const model::ModelSource& source, const model::CheckpointLayout& layout, bool quiet);
// Loads the weights, and notes their precision and how they were read.
std::shared_ptr<const model::Weights> loadModel(const model::ModelSource& source, model::Precision precision,
                                                bool quiet = false);

// Opens a recording; "-" is standard input. A pipe is read only if an argument names it, not if a folder, a
// pattern or a list holds it.
audio::AudioFile openAudio(const batch::Input& input, const audio::ReadOptions& options = {});

// Standard input, read as it comes if its kind allows that (AudioFile::fromPipe()), until Ctrl-C; otherwise
// null, and `pipe` holds what was read of it.
std::optional<audio::AudioFile> openLiveInput(std::shared_ptr<audio::PipeInput>& pipe,
                                              const audio::ReadOptions& options,
                                              const std::optional<audio::RawFormat>& format = {});

// Returns the hop in the model's tokens. Without `seconds`, it is the usual hop of the mode. Throws
// UsageError if the hop is not positive or would leave gaps between windows.
int chooseHop(std::optional<double> seconds, detection::Mode mode, const detection::ListeningModel& model);

} // namespace earshot::cli
