#include "Cli/Analyze/AnalyzeOptions.h"

#include "Cli/Analyze/KeepActivations.h"
#include "Cli/CommonOptions.h"
#include "Cli/OptionChecks.h"
#include "Cli/Output/PlotOutput.h"
#include "Core/Batch/Outputs.h"

#include <map>

namespace earshot::cli {

namespace {

constexpr int mostJobs = 1024;

constexpr const char* examples =
    "Examples:\n"
    "  earshot analyze recording.wav\n"
    "  earshot analyze night.flac --only \"Bird,Dog\" --threshold 0.5\n"
    "  earshot analyze street.wav --class-threshold \"Baby cry=0.3\" --min-duration 0.5\n"
    "  earshot analyze recordings/ --format csv --output sounds.csv\n"
    "  earshot analyze dawn.wav --plot svg\n"
    "  earshot analyze - < recording.wav\n"
    "  earshot analyze street.wav --model CLAP_weights_2023.pth --queries texts.npy --query-names texts.txt\n"
    "An archive, which can be stopped at any time and started again:\n"
    "  earshot analyze archive/ --output-dir results --format raven --joined csv,sqlite\n"
    "  earshot analyze 'archive/**/*.flac' --output-dir results --jobs 8\n"
    "  earshot analyze --list files.txt --output-dir results --shard 2/8\n"
    "    (on machine 2 of 0 to 7; then: earshot merge results)\n";

std::string allFormatNames() {
    std::string names;
    for (const auto& format : formats::allFormats())
        names += (names.empty() ? "" : ", ") + std::string(format.name);
    return names;
}

std::string joinedFormatNames() {
    std::string names;
    for (const auto& format : batch::joinedFormats()) names += (names.empty() ? "" : ", ") + format;
    return names;
}

void declareBatchOptions(CLI::App& command, AnalyzeOptions& options) {
    const std::string group = "Archives";
    command
        .add_option(
            "--output-dir", options.outputDirectory,
            "Write files for each recording into this folder, as NAME.wav.csv, in folders as theirs.\n"
            "Whatever stops it, the same command goes on where it was. The recordings' own folder is\n"
            "fine: then results lie beside them")
        ->type_name("DIR")
        ->group(group);
    command
        .add_option("--joined", options.joined,
                    "Also one file of all recordings, DIR/events.csv and so on: " + joinedFormatNames())
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(batch::joinedFormats()).description(""))
        ->type_name("F,...")
        ->group(group);
    addKeepActivationsOption(command, options.keepActivations)->group(group);
    command
        .add_option("--jobs", options.jobs,
                    "Recordings at once (default: as many as --threads, which is all cores here)")
        ->check(wholeNumberBetween(1, mostJobs, "a whole number"))
        ->type_name("N")
        ->group(group);
    command
        .add_option_function<std::string>(
            "--shard",
            [&options](const std::string& text) {
                options.shard = batch::parseShard(text);
                if (!options.shard)
                    throw CLI::ValidationError("--shard",
                                               "'" + text + "' is not I/N with I from 0 to N-1, as in 0/4");
            },
            "Only every N-th recording from number I on, into DIR/shard-I-of-N, for many machines")
        ->type_name("I/N")
        ->group(group);
    command.add_flag("--restart", options.restart, "Do all recordings again, also those that are done")
        ->group(group);
    command
        .add_flag("--forget-missing", options.forgetMissing,
                  "Delete the results of recordings that are not among FILE any more (default: they stay,\n"
                  "as the disk of such recordings may be away)")
        ->group(group);
}

} // namespace

void declareAnalyzeOptions(CLI::App& command, AnalyzeOptions& options) {
    command.footer(examples);
    command
        .add_option(
            "FILE", options.files,
            "Audio files of any rate and channel count, folders (all recordings below), globs in quotes\n"
            "(*, ?, [...], and ** for any folders); - is a recording on standard input")
        ->type_name("");
    command
        .add_option("--list", options.list,
                    "More of them from this file, one path a line; - is standard input")
        ->type_name("FILE");
    addModelOption(command, options.model);

    const std::string listening = "Listening";
    const std::map<std::string, detection::Mode> modes = {{"auto", detection::Mode::automatic},
                                                          {"crop", detection::Mode::crop},
                                                          {"repeat", detection::Mode::repeat}};
    command
        .add_option("--mode", options.mode,
                    "auto (default): whole windows of 10.24 s; a shorter file is repeated to fill one\n"
                    "crop: the same, but silence follows a shorter file\n"
                    "repeat: quarter windows, quicker to react")
        ->transform(CLI::CheckedTransformer(modes).description(""))
        ->type_name("auto|crop|repeat")
        ->group(listening);
    command
        .add_option("--hop", options.hop,
                    "Seconds between windows, in steps of 0.32 s (default: a quarter of a window,\n"
                    "2.56, or 0.64 in mode repeat); smaller is steadier and slower. Models with another\n"
                    "window have other steps")
        ->type_name("SECONDS")
        ->group(listening);
    addThreadsOption(command, options.threads)->group(listening)->each([&options](const std::string&) {
        options.threadsGiven = true;
    });
    addPrecisionOption(command, options.precision)->group(listening);

    declareDecidingOptions(command, options);
    declareQueryOptions(command, options.queries);

    const std::string results = "Results";
    std::vector<std::string> names = {"table"};
    for (const auto& format : formats::allFormats()) names.emplace_back(format.name);
    command
        .add_option("--format", options.formats,
                    "table for people (default); for programs " + allFormatNames() +
                        ".\nWith --output-dir several, as in csv,raven (default: csv)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(names).description(""))
        ->type_name("F,...")
        ->group(results);
    addExplainOption(command, options.explain)->group(results);
    addOutputOption(command, options.output)->group(results);
    addPlotOption(command, options.plot)->group(results);
    addOverwriteOption(command, options.overwrite)->group(results);
    command.add_flag("--quiet", options.quiet, "No progress, no warnings and no summary; errors still show")
        ->group(results);
    declareBatchOptions(command, options);
}

} // namespace earshot::cli
