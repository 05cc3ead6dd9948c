#include "Cli/Opening.h"

#include "Cli/ExitCode.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Windows/CalibrationAudio.h"
#include "Core/Model/ModelLocator.h"
#include "Core/Model/ModelNotes.h"

#include <fmt/format.h>

namespace earshot::cli {

model::ModelSource locateModel(const ModelOptions& options) {
    if (!options.file)
        return {model::defaultModel("name one with --model or EARSHOT_MODEL"), options.reading};
    std::error_code failure;
    if (!std::filesystem::exists(*options.file, failure))
        throw Error(*options.file + ": no such model file (given by the command line); check the name");
    return {*options.file, options.reading};
}

void notePrecision(model::Precision precision, bool quiet, model::BlockKind block) {
    const auto choice = model::choosePrecision(precision, block);
    if (choice.refused && !quiet)
        printNote(fmt::format("--precision {}: {}; using {}", model::optionName(precision), choice.reason,
                              model::plainName(choice.precision)));
}

void noteReading(const model::ModelSource& source, const model::CheckpointLayout& layout, bool quiet) {
    if (quiet) return;
    for (const auto& note : model::notesOn(layout, source.choice))
        printNote(fmt::format("{}: {}; {}", displayName(source.file), note.what, note.advice));
}

std::shared_ptr<const model::Weights> loadModel(const model::ModelSource& source, model::Precision precision,
                                                bool quiet) {
    auto weights = detection::loadWeights(source, precision);
    noteReading(source, weights->layout(), quiet);
    notePrecision(precision, quiet, weights->config().block);
    return weights;
}

audio::AudioFile openAudio(const batch::Input& input, const audio::ReadOptions& options) {
    if (input.isStandardInput()) return audio::AudioFile::fromStandardInput(options);
    std::error_code ignored;
    if (input.named && std::filesystem::is_fifo(input.path, ignored))
        printNote(displayName(input.path) + ": is a pipe; waiting until a program has written all of it");
    return audio::AudioFile(input.path, input.named ? Pipes::read : Pipes::refused, options);
}

std::optional<audio::AudioFile> openLiveInput(std::shared_ptr<audio::PipeInput>& pipe,
                                              const audio::ReadOptions& options,
                                              const std::optional<audio::RawFormat>& format) {
    pipe = std::make_shared<audio::PipeInput>(audio::PipeInput::standardInput(interrupted));
    return audio::AudioFile::fromPipe(pipe, options, format);
}

int chooseHop(std::optional<double> seconds, detection::Mode mode, const detection::ListeningModel& model) {
    if (const auto tokens = detection::hopTokens(model, mode, seconds)) return *tokens;
    throw UsageError(fmt::format("--hop: {} is outside the range of this mode, {:.2f} to {:.2f} seconds",
                                 *seconds, model.secondsPerToken(),
                                 detection::maxHop(model.shape, mode) * model.secondsPerToken()));
}

} // namespace earshot::cli
