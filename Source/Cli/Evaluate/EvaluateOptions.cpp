#include "Cli/Evaluate/EvaluateOptions.h"

#include "Cli/CommonOptions.h"
#include "Cli/OptionChecks.h"
#include "Cli/Output/Text.h"

#include <limits>
#include <map>

namespace earshot::cli {

namespace {

constexpr const char* examples =
    "Data: a folder with one folder of sound files per class, or a CSV with the columns\n"
    "file,onset,offset,label (when each sound begins and ends) or file,label, and perhaps split.\n"
    "\n"
    "Examples:\n"
    "  earshot evaluate --data clips/manifest.csv              the default model\n"
    "  earshot evaluate my.safetensors --data my-sounds --split all\n"
    "  earshot evaluate my.safetensors --data my-sounds --scenes 60 --sweep\n"
    "  earshot evaluate --data yard.csv --thresholds best      what thresholds could reach\n"
    "  earshot evaluate --data yard.csv --merge-gap 1          pauses under 1 s are part of a sound\n"
    "  earshot evaluate --noise 1 --format json                false alarms on noise alone\n";

} // namespace

void declareEvaluateOptions(CLI::App& command, EvaluateOptions& options) {
    command.footer(examples);
    command.add_option("MODEL", options.model, "Model file (else $EARSHOT_MODEL, else the default model)")
        ->type_name("");

    const std::string data = "Data";
    command.add_option("--data", options.data, "Folders of class-named clips, or CSV files")
        ->type_name("PATH...")
        ->group(data);
    const std::map<std::string, DataPart> parts = {
        {"train", DataPart::train}, {"valid", DataPart::valid}, {"all", DataPart::all}};
    command
        .add_option("--split", options.part,
                    "Which part of the data (default: valid where the data has a column split, else all);\n"
                    "where it has none, train and valid are drawn as 'earshot train' draws them")
        ->transform(CLI::CheckedTransformer(parts).description(""))
        ->type_name("valid|train|all")
        ->group(data);
    command
        .add_option("--scenes", options.scenes,
                    "Mix so many scenes from the clips and score those: clips of one sound each then\n"
                    "say how well sounds are found in time, several at once")
        ->check(wholeNumberBetween(1, 100000, "a whole number"))
        ->type_name("N")
        ->group(data);
    command.add_option("--scene-seconds", options.sceneSeconds, "Length of a scene (default: 30)")
        ->check(numberBetween(1.0, 600.0, "a number of seconds"))
        ->type_name("SECONDS")
        ->group(data);
    declareSceneOptions(command, options.sceneOptions, data);
    command
        .add_option("--noise", options.noiseHours,
                    "Also count false alarms on so many hours of made noise (white, pink, brown, hum,\n"
                    "silence)")
        ->check(numberBetween(0.01, 1000.0, "a number of hours"))
        ->type_name("HOURS")
        ->group(data);
    command.add_option("--seed", options.seed, "Other scenes and other noise (default: 1)")
        ->check(wholeNumberBetween(0, std::numeric_limits<int>::max(), "a whole number"))
        ->type_name("N")
        ->group(data);

    const std::string listening = "Listening";
    command
        .add_option("--hop", options.hop,
                    "Seconds between windows, in steps of 0.32 s (default: a quarter of a window, 2.56)")
        ->type_name("SECONDS")
        ->group(listening);
    addThreadsOption(command, options.threads)->group(listening);
    addPrecisionOption(command, options.precision)->group(listening);

    declareShapingOptions(command, options.shaping, "Events, as 'earshot analyze' makes them");

    const std::string results = "Results";
    command
        .add_option("--thresholds", options.thresholds,
                    "model (default): the model's own for each sound, else 0.4\n"
                    "best: chosen on this very data, so what they could reach at most\n"
                    "or one probability for all")
        ->check(wordOrProbability({"model", "best"}))
        ->type_name("model|best|P")
        ->group(results);
    declareConfidenceOption(command, options.confidence, results);
    command
        .add_flag("--sweep", options.sweep,
                  "Also the scores at thresholds (or confidences) from 0.05 to 0.95")
        ->group(results);
    const std::map<std::string, ResultFormat> formats = {
        {"table", ResultFormat::table}, {"csv", ResultFormat::csv}, {"json", ResultFormat::json}};
    command
        .add_option("--format", options.format,
                    "table for people (default); json for programs, with everything;\n"
                    "csv: a row per sound, or with --sweep a row per threshold")
        ->transform(CLI::CheckedTransformer(formats).description(""))
        ->type_name("table|csv|json")
        ->group(results);
    addOutputOption(command, options.output)->group(results);
    addOverwriteOption(command, options.overwrite)->group(results);
    command.add_flag("--quiet", options.quiet, "No progress and no warnings; errors still show")
        ->group(results);
}

} // namespace earshot::cli
