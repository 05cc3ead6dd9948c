#include "Cli/AnalyzeOptions.h"

#include "Cli/CommonOptions.h"

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

    declareDecidingOptions(command, options);

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
