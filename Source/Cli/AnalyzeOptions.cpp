#include "Cli/AnalyzeOptions.h"

#include "Cli/CommonOptions.h"
#include "Cli/OptionChecks.h"
#include "Core/Detection/Rules.h"

#include <map>

namespace earshot::cli {

namespace {

constexpr const char* examples =
    "Examples:\n"
    "  earshot analyze recording.wav\n"
    "  earshot analyze night.flac --only \"Bird,Dog\" --threshold 0.5\n"
    "  earshot analyze street.wav --class-threshold \"Baby cry=0.3\" --min-duration 0.5\n"
    "  earshot analyze *.wav --format csv --output sounds.csv\n"
    "  earshot analyze - < recording.wav\n";

} // namespace

void declareAnalyzeOptions(CLI::App& command, AnalyzeOptions& options) {
    command.footer(examples);
    const auto probability = numberBetween(0.0, 1.0, "a probability");
    const auto seconds = numberBetween(0.0, detection::longestDuration, "a number of seconds");

    command
        .add_option("FILE", options.files, "Audio files of any rate and channel count; - is standard input")
        ->required()
        ->type_name("");
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
                    "2.56, or 0.64 in mode repeat); smaller is steadier and slower")
        ->type_name("SECONDS")
        ->group(listening);
    addThreadsOption(command, options.threads)->group(listening);
    addPrecisionOption(command, options.precision)->group(listening);

    const std::string deciding = "Deciding what is an event";
    command
        .add_option("--threshold", options.threshold,
                    "Probability from which a sound counts, 0 to 1\n"
                    "(default: the model's own for each sound, else 0.4)")
        ->check(probability)
        ->type_name("P")
        ->group(deciding);
    command
        .add_option("--release-threshold", options.releaseThreshold,
                    "Probability below which it ends (default: half the threshold)")
        ->check(probability)
        ->type_name("P")
        ->group(deciding);
    command
        .add_option("--class-threshold", options.classThresholds,
                    "Threshold of one sound, as in Dog=0.3; may be given several times")
        ->allow_extra_args(false)
        ->type_name("LABEL=P")
        ->group(deciding);
    command.add_option("--only", options.only, "Report these sounds only")
        ->allow_extra_args(false)
        ->type_name("LABEL,...")
        ->group(deciding);
    command.add_option("--min-duration", options.minDuration, "Drop events shorter than this (default: 0)")
        ->check(seconds)
        ->type_name("SECONDS")
        ->group(deciding);
    command.add_option("--merge-gap", options.mergeGap, "Join events closer than this (default: 0)")
        ->check(seconds)
        ->type_name("SECONDS")
        ->group(deciding);
    command
        .add_option("--median", options.median,
                    "Median filter over so many 0.32 s columns, odd (default: 1, none)")
        ->check(oddNumberUpTo(detection::longestMedian))
        ->type_name("N")
        ->group(deciding);

    const std::string results = "Results";
    const std::map<std::string, ResultFormat> formats = {
        {"table", ResultFormat::table}, {"csv", ResultFormat::csv}, {"json", ResultFormat::json}};
    command.add_option("--format", options.format, "table for people (default), csv or json for programs")
        ->transform(CLI::CheckedTransformer(formats).description(""))
        ->type_name("table|csv|json")
        ->group(results);
    command
        .add_flag("--explain", options.explain,
                  "Also list near misses, and why each is no event (table only)")
        ->group(results);
    command.add_option("--output", options.output, "Write the results to this file")
        ->type_name("FILE")
        ->group(results);
    command.add_flag("--quiet", options.quiet, "No progress and no warnings; errors still show")
        ->group(results);
}

} // namespace earshot::cli
