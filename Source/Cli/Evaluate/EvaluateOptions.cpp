#include "Cli/Evaluate/EvaluateOptions.h"

#include "Cli/Output/Terminal.h"

#include <limits>
#include <map>

namespace earshot::cli {

namespace {

constexpr const char* evaluateExamples =
    "Data: a folder with one folder of sound files per class, or a table with the\n"
    "columns file,onset,offset,label (when each sound begins and ends) or file,label,\n"
    "and perhaps split; or a table of Raven, Audacity, DCASE, Kaleidoscope or\n"
    "'earshot analyze', or a folder of recordings with one beside each.\n"
    "\n"
    "Examples:\n"
    "  earshot evaluate --data clips/manifest.csv\n"
    "                      the default model\n"
    "  earshot evaluate my.safetensors --data my-sounds --split all\n"
    "  earshot evaluate my.safetensors --data my-sounds --scenes 60 --sweep\n"
    "  earshot evaluate --data yard.csv --thresholds best\n"
    "                      the best that thresholds reach\n"
    "  earshot evaluate --data yard.csv --merge-gap 1\n"
    "                      pauses under 1 s are part of a sound\n"
    "  earshot evaluate --data yard.csv --bootstrap 1000\n"
    "                      scores with 95 % intervals\n"
    "  earshot evaluate my.safetensors --against other.safetensors --data yard.csv\n"
    "                      which of two models is better, and whether that is chance\n"
    "  earshot evaluate --noise 1 --format json\n"
    "                      false alarms on noise alone\n"
    "  earshot evaluate CLAP.pth --data my-sounds --listen \"a dog barks=Dog\" \\\n"
    "      --listen \"rain\"\n"
    "                      how well words find sounds of these names\n";

} // namespace

void addEvaluateOptions(CLI::App& command, EvaluateOptions& options) {
    command.footer(evaluateExamples);
    const OptionGroup general(command);
    addModelArgument(general, options.model);

    const OptionGroup data(command, "Data");
    data.add("--data", options.data, "PATH...", "Folders of class-named clips, or tables of labels");
    addLabelColumnOption(data, options.labelColumn);
    const Choices<DataPart> parts = {
        {"valid", DataPart::valid}, {"train", DataPart::train}, {"all", DataPart::all}};
    data.choose("--split", options.part, parts,
                "Part of the data (default: valid if the data has a column split, else all); without\n"
                "that column, train and valid are drawn as the model's training drew them");
    data.add("--scenes", options.scenes, "N",
             "Mix this many scenes from the clips and score the scenes: clips of one sound each then\n"
             "show how well overlapping sounds are found in time",
             wholeNumberBetween(1, 100000));
    data.add("--scene-seconds", options.sceneSeconds, "SECONDS", "Length of a scene (default: 30)",
             numberBetween(1.0, 600.0, "a number of seconds"));
    addSceneOptions(data, options.sceneOptions);
    data.add("--noise", options.noiseHours, "HOURS",
             "Also count false alarms on this many hours of synthetic noise (white, pink, brown, hum,\n"
             "silence)",
             numberBetween(0.01, 1000.0, "a number of hours"));
    data.add("--seed", options.seed, "N", "Another seed gives other scenes, noise and draws (default: 1)",
             wholeNumberBetween(0, std::numeric_limits<int>::max()));

    const OptionGroup listening(command, "Listening");
    listening.add(
        "--hop", options.hop, "SECONDS",
        "Seconds between windows, rounded to the model's steps (default: a quarter of a window, 2.56)");
    addReadOptions(listening, options.reading, labelsNameNoChannel);
    addThreadsOption(listening, options.threads);
    addPrecisionOption(listening, options.precision);
    addQueryOptions(command, options.queries);

    addShapingOptions(OptionGroup(command, "Events, as 'earshot analyze' makes them"), options.shaping);

    const OptionGroup results(command, "Results");
    results.add("--thresholds", options.thresholds, "model|best|P",
                "model (default): the model's own for each sound, else 0.4\n"
                "best: chosen on this same data, which shows the best that thresholds could reach\n"
                "P: one probability for all sounds",
                wordOrProbability({"model", "best"}));
    addConfidenceOption(results, options.confidence);
    results.flag("--sweep", options.sweep,
                 "Also the scores at thresholds (or confidences) from 0.05 to 0.95");
    results.add("--bootstrap", options.bootstrap, "N",
                "95 % intervals of the main scores: N draws of as many recordings, with replacement",
                wholeNumberBetween(100, 100000));
    results.add(
        "--against", options.against, "MODEL",
        "Says whether another model's scores differ on the same recordings, for the sounds that both\n"
        "know: paired draws and random exchanges, as many as --bootstrap says (default: 1000)");
    results.add("--write-bound", options.writeBound, "FILE",
                "Also choose the model's bound for 'earshot analyze' in two steps on these recordings or\n"
                "scenes, which should last some windows each, and write the model with it to FILE");
    const Choices<ResultFormat> formats = {
        {"table", ResultFormat::table}, {"csv", ResultFormat::csv}, {"json", ResultFormat::json}};
    results.choose("--format", options.format, formats,
                   "table for people (default); json for programs, with everything;\n"
                   "csv: a row per sound, with --sweep one per threshold, with --bootstrap or --against\n"
                   "one per score");
    addOutputOption(results, options.output);
    addOverwriteOption(results, options.overwrite);
    results.flag("--quiet", options.quiet, "No progress and no warnings; errors still show");
}

} // namespace earshot::cli
