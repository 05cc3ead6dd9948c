#include "Cli/Commands.h"
#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Cli/Train/TrainOptions.h"
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Model/Reading/ImageModel.h"
#include "Core/Training/Run/TrainingRun.h"

#include <fmt/format.h>

#include <memory>
#include <string_view>

namespace earshot::cli {

namespace {

using training::RunPhase;
using training::RunProgress;

std::string describe(const RunProgress& progress) {
    const auto counted = [&](const char* what) {
        return fmt::format("{}  {} of {}", what, progress.done, progress.total);
    };
    switch (progress.phase) {
    case RunPhase::reading:
        return counted("reading clips");
    case RunPhase::listening:
        return counted("listening to scenes");
    case RunPhase::measuring:
        return counted("measuring the speed");
    case RunPhase::validating:
        return "validating";
    case RunPhase::scoring:
        return counted("scoring the model");
    case RunPhase::training:
        break;
    }
    std::string text = fmt::format("epoch {} of {}  loss {:.4f}  {:.0f} scenes/s", progress.epoch,
                                   progress.epochs, progress.loss, progress.examplesPerSecond);
    if (progress.secondsLeft) text += "  " + clockTime(*progress.secondsLeft) + " left";
    return text;
}

std::string describe(const training::LogRow& row, int epochs) {
    std::string text = fmt::format("epoch {} of {}: loss {:.4f}", row.epoch, epochs, row.loss);
    if (row.eventF1)
        text += fmt::format(", validation loss {:.4f}, event F1 {:.3f}, segment F1 {:.3f}, mAP {:.3f}",
                            row.validLoss.value_or(0.0), *row.eventF1, row.segmentF1.value_or(0.0),
                            row.meanAveragePrecision.value_or(0.0));
    return text + fmt::format("; {:.0f} scenes/s, {}", row.examplesPerSecond, clockTime(row.seconds));
}

std::string summary(const training::RunResult& result, const training::RunFiles& files) {
    std::string text = fmt::format("{}: trained for {} epoch{} in {}\n", displayText(files.model.string()),
                                   result.epochs, result.epochs == 1 ? "" : "s", clockTime(result.seconds));
    if (result.scores)
        text += fmt::format("On validation scenes: event F1 {:.3f}, segment F1 {:.3f}, PSDS1 {:.3f}, mAP "
                            "{:.3f}\n",
                            result.scores->looseEvents.f1(), result.scores->segments.f1(),
                            result.scores->psds1, result.scores->meanAveragePrecision);
    text += fmt::format("Card: {}; log: {}; curves: {}; {} is only needed to resume\n",
                        displayText(files.card.string()), displayText(files.log.string()),
                        displayText(files.curves.string()), displayText(files.checkpoint.string()));
    return text;
}

// How the model to start from was read.
void noteStart(const model::ModelSource& from, bool quiet) {
    const auto checkpoint = model::Checkpoint::open(from);
    if (!model::findImageModel(*checkpoint)) noteReading(from, model::openLayout(*checkpoint), quiet);
}

int runTraining(const TrainOptions& options, const std::string& commandLine) {
    auto settings = runSettings(options);
    settings.commandLine = commandLine;
    if (settings.from) noteStart(*settings.from, options.quiet);
    const training::RunFiles files(settings.output);
    ProgressLine line(!options.quiet);
    const auto note = [&](const std::string& text) {
        if (options.quiet) return;
        line.clear();
        printNote(text);
    };
    training::RunObserver observer;
    observer.note = note;
    observer.progress = [&](const RunProgress& progress) { line.show(describe(progress)); };
    // These lines stay above the progress line. Without a terminal they are the only progress.
    observer.epochDone = [&](const training::LogRow& row, int epochs) {
        // With a frozen encoder epochs pass too quickly to report each.
        if (!settings.freezeEncoder || row.eventF1) note(describe(row, epochs));
    };
    observer.stopped = interrupted;
    training::RunResult result;
    try {
        result = train(settings, observer);
    } catch (const WriteError&) {
        throw; // the trained weights are lost
    } catch (const Error&) {
        if (!interrupted()) throw;
        line.clear();
        printNote("stopped before the training began; nothing was written");
        return interruption;
    }
    line.clear();
    if (result.stopped) {
        printNote(fmt::format("stopped after {} epoch{}; {} holds everything: the same command with --resume "
                              "goes on",
                              result.epochs, result.epochs == 1 ? "" : "s",
                              displayText(files.checkpoint.string())));
        return interruption;
    }
    OutputStream output;
    output.write(summary(result, files));
    output.finish();
    return success;
}

} // namespace

std::string shellWord(std::string_view word) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,=:+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
    std::string quoted(1, '\'');
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + '\'';
}

std::string quotedCommandLine(int argc, const char* const* argv) {
    std::string line = "earshot";
    for (int i = 1; i < argc; ++i) line += ' ' + shellWord(argv[i]);
    return line;
}

Command makeTrainCommand(CLI::App& program, const std::string& commandLine) {
    CLI::App* command = program.add_subcommand("train", "Train a model on labelled recordings");
    const auto options = std::make_shared<TrainOptions>();
    addTrainOptions(*command, *options);
    return {command, [options, commandLine]() -> int { return runTraining(*options, commandLine); }};
}

} // namespace earshot::cli
