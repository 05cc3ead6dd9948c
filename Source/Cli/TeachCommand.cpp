#include "Cli/Commands.h"
#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Cli/Options.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Base/Clock.h"
#include "Core/Base/Counted.h"
#include "Core/Base/Error.h"
#include "Core/Base/OutputCheck.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Teaching/Collection.h"
#include "Core/Teaching/Lesson.h"
#include "Core/Teaching/LessonClips.h"
#include "Core/Teaching/TaughtModel.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

namespace {

constexpr const char* teachExamples =
    "EXAMPLES: the folder of a collection that was made in the plugin or the app, a\n"
    "folder with one folder of sound files per sound (\"_other\": sounds that are none\n"
    "of them), or a table with the columns file,onset,offset,label or file,label, and\n"
    "perhaps group (recordings that belong together) and licence; or a table of\n"
    "Raven, Audacity, DCASE, Kaleidoscope or 'earshot analyze'.\n"
    "\n"
    "Examples:\n"
    "  earshot teach my-sounds --output mine.safetensors\n"
    "  earshot analyze walk.wav --model mine.safetensors\n"
    "  earshot teach my-sounds --model mine.safetensors --output mine.safetensors \\\n"
    "      --overwrite\n"
    "                      again, with other examples\n";

struct TeachOptions {
    std::vector<std::string> data;
    std::string labelColumn;
    audio::ReadOptions reading;
    ModelOptions model;
    std::string output;
    teaching::RowKind rows = teaching::RowKind::trained;
    std::uint64_t seed = 1;
    int threads = 1;
    bool overwrite = false;
    bool quiet = false;
};

std::filesystem::path sourceOf(const std::string& given) {
    const auto table = std::filesystem::path(given) / "examples.csv";
    std::error_code failure;
    return std::filesystem::exists(table, failure) ? table : std::filesystem::path(given);
}

// Of a collection, so that plugin and app see that the model has learnt it; else empty.
std::string identityOf(const TeachOptions& options) {
    if (options.data.size() != 1 || sourceOf(options.data.front()) == options.data.front()) return {};
    return teaching::Collection(options.data.front()).fingerprint();
}

bool isTaught(const std::filesystem::path& model) {
    return teaching::TaughtNote::read(model::Checkpoint::open(model)->metadata(), model).has_value();
}

std::string describe(const teaching::LearntSound& sound) {
    auto line =
        fmt::format("{}: {} ({:.1f} s) from {}; ", displayText(sound.name),
                    counted(sound.examples, "example"), sound.seconds, counted(sound.sources, "source"));
    if (!sound.reliability)
        return line + fmt::format("cannot be judged yet: {} more {} needed\n",
                                  std::max(1, teaching::minSources - sound.sources),
                                  teaching::minSources - sound.sources > 1 ? "sources are" : "source is");
    return line +
           fmt::format(
               "detects {:.0f} % in cross-validation; {:.0f} false alarms per hour among other sounds\n",
               100.0 * sound.reliability->found, sound.reliability->falseAlarmsPerHour);
}

int teach(const TeachOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    const std::filesystem::path output = options.output;
    if (output.extension() != ".safetensors")
        throw UsageError(displayName(output) + ": a model's name ends in .safetensors");
    const auto model = locateModel(options.model);
    training::DataChoice choice;
    choice.minClips = 1;
    choice.labelColumn = options.labelColumn;
    choice.reading = options.reading;
    for (const std::string& given : options.data) choice.sources.push_back(sourceOf(given));
    auto data = training::readDataSet(choice);

    OutputCheck files;
    const auto card = std::filesystem::path(output).replace_extension(".md");
    for (const auto& file : {output, card}) files.writes(file);
    for (const auto& source : choice.sources) files.reads(source, "the examples");
    for (const auto& clip : data.files) files.reads(clip, "an example");
    // A taught model may be taught anew in its place: it holds all of the model before.
    if (!options.overwrite || !isTaught(model.file)) addModel(files, model.file);
    requireSafe(files, options.overwrite);
    for (const auto& file : {output, card}) requireWritable(file);

    const auto weights = loadModel(model, model::Precision::float32, options.quiet); // the lesson's
    ProgressLine line(!options.quiet);
    teaching::LessonSettings settings;
    settings.model = model;
    settings.rows = options.rows;
    settings.threads = options.threads;
    settings.seed = options.seed;
    settings.progress = [&](double done) {
        line.show(fmt::format("learning  {:.0f} %", 100.0 * done));
        return !interrupted();
    };
    std::vector<teaching::LearntSound> sounds;
    bool written = false;
    try {
        if (!options.quiet && !teaching::otherSounds())
            printNote(
                "the other sounds that come with Earshot (Models/others) are missing; new sounds are told "
                "from noise alone, and may be found too often");
        teaching::Lesson lesson(std::move(data), settings);
        lesson.write(output, identityOf(options));
        written = true;
        line.clear();
        if (!options.quiet) {
            for (const auto& problem : lesson.problems()) printNote(problem.line());
            for (const auto& limit : lesson.limits()) printNote(limit);
        }
        line.show("judging");
        sounds = lesson.judge();
        writeWholeFile(card, lesson.card(output, sounds));
    } catch (const WriteError&) {
        throw;
    } catch (const Error&) {
        if (!interrupted()) throw;
        line.clear();
        printNote(written ? "stopped; the model is whole, and what it learnt was not judged"
                          : "stopped; nothing was written");
        return interruption;
    }
    line.clear();
    OutputStream out;
    for (const auto& sound : sounds) out.write(describe(sound));
    out.write(fmt::format("{}: {} learnt in {}\n", displayText(output.string()),
                          counted(sounds.size(), "sound"), clockTime(secondsSince(start))));
    out.finish();
    return success;
}

} // namespace

Command makeTeachCommand(CLI::App& program) {
    CLI::App* command =
        program.add_subcommand("teach", "Add sounds to a model from a few examples, in seconds");
    const auto options = std::make_shared<TeachOptions>();
    const OptionGroup general(*command);
    command->footer(teachExamples);
    general.add("EXAMPLES", options->data, "", "Folders or tables with examples of the new sounds")
        ->required();
    addLabelColumnOption(general, options->labelColumn);
    addReadOptions(general, options->reading, labelsNameNoChannel);
    addModelOptions(general, options->model);
    general.add("--output", options->output, "FILE", "The model with the new sounds, NAME.safetensors")
        ->required();
    general.choose("--rows", options->rows,
                   Choices<teaching::RowKind>{{"trained", teaching::RowKind::trained},
                                              {"prototype", teaching::RowKind::prototype}},
                   "trained (default): a regression tells a sound from others\n"
                   "prototype: the direction in which the mean of its examples lies does");
    general.add("--seed", options->seed, "N", "The same seed gives the same model (default: 1)");
    addThreadsOption(general, options->threads);
    addOverwriteOption(general, options->overwrite);
    general.flag("--quiet", options->quiet, "No progress and no notes; errors still show");
    return {command, [options]() -> int { return teach(*options); }};
}

} // namespace earshot::cli
