#include "Cli/Analyze/AnalyzeOptions.h"

#include "Cli/Options.h"
#include "Core/Batch/Outputs.h"
#include "Core/Detection/Windows/Analyzer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace earshot::cli {

namespace {

constexpr int maxJobs = 1024;

constexpr const char* analyzeExamples =
    "Examples:\n"
    "  earshot analyze recording.wav\n"
    "  earshot analyze night.flac --only \"Bird,Dog\" --threshold 0.5\n"
    "  earshot analyze street.wav --class-threshold \"Baby cry=0.3\" --min-duration 0.5\n"
    "  earshot analyze recordings/ --format csv --output sounds.csv\n"
    "  earshot analyze clips/ --top 3\n"
    "  earshot analyze dawn.wav --plot svg\n"
    "  earshot analyze - < recording.wav\n"
    "  earshot analyze street.wav --model CLAP_weights_2023.pth \\\n"
    "      --listen \"glass breaking\" --listen \"dog barking=Dog\"\n"
    "An archive; the same command resumes after any stop:\n"
    "  earshot analyze archive/ --output-dir results --format raven \\\n"
    "      --joined csv,sqlite\n"
    "  earshot analyze 'archive/**/*.flac' --output-dir results --jobs 8\n"
    "  earshot analyze --list files.txt --output-dir results --shard 2/8\n"
    "    (on machine 2 of 0 to 7; then: earshot merge results)\n";

CLI::Option* addKeepActivationsOption(CLI::App& command, std::vector<detection::ActivationKind>& kinds) {
    const auto take = [&kinds](const std::string& text) {
        // Without a value the text is empty, or "true" with other versions of CLI11.
        const bool npy = text == "npy";
        if (!npy && !text.empty() && text != "safetensors" && text != "true")
            throw CLI::ValidationError(
                "--keep-activations",
                "'" + text + "' is neither safetensors nor npy; put recordings before this option");
        const auto kind = npy ? detection::ActivationKind::npy : detection::ActivationKind::safetensors;
        if (std::ranges::count(kinds, kind) == 0) kinds.push_back(kind);
    };
    return command
        .add_option_function<std::vector<std::string>>(
            "--keep-activations",
            [take](const std::vector<std::string>& texts) { std::ranges::for_each(texts, take); },
            "Also keep all probabilities of each recording, for 'earshot events' (safetensors, the\n"
            "default) or for NumPy (npy); about 7 MB an hour with the default model, npy twice that")
        ->expected(0, 1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("[safetensors|npy]");
}

void addBatchOptions(CLI::App& command, AnalyzeOptions& options) {
    const OptionGroup group(command, "Archives");
    group.add("--output-dir", options.outputDirectory, "DIR",
              "Write files for each recording, as NAME.wav.csv, into this folder, laid out as the input\n"
              "folder. The same command resumes a run that was stopped. DIR may be the recordings' own\n"
              "folder: the results then lie beside the recordings");
    group.add("--base", options.base, "DIR",
              "Names of results are relative to this folder (default: that of earlier results, or the\n"
              "nearest one that holds all recordings); for lists that differ from run to run");
    group
        .add("--joined", options.joined, "F,...",
             fmt::format("Also one file of all recordings, DIR/events.csv and so on: {}",
                         fmt::join(batch::joinedFormats(), ", ")),
             oneOf(batch::joinedFormats()))
        ->delimiter(',')
        ->allow_extra_args(false);
    addKeepActivationsOption(command, options.keepActivations)->group("Archives");
    group.add("--jobs", options.jobs, "N",
              "Recordings analysed at once (default: --threads, which here defaults to all cores)",
              wholeNumberBetween(1, maxJobs));
    const auto takeShard = [&options](const std::string& text) {
        options.shard = batch::parseShard(text);
        if (!options.shard)
            throw CLI::ValidationError("--shard",
                                       "'" + text + "' is not I/N with I from 0 to N-1, as in 0/4");
    };
    group.parse(
        "--shard", takeShard, "I/N",
        "Only every N-th recording, starting with number I, into DIR/shard-I-of-N, for many machines");
    group.flag("--restart", options.restart, "Analyse all recordings again, also finished ones");
    group.flag("--forget-missing", options.forgetMissing,
               "Delete the results of recordings that FILE does not name and that are gone (default: keep\n"
               "them, because their disk may only be disconnected)");
}

} // namespace

OptionGroup addListeningOptions(CLI::App& command, AnalyzeOptions& options, const char* whyNotEach) {
    OptionGroup listening(command, "Listening");
    Choices<detection::Mode> modes;
    for (const auto mode : detection::allModes) modes.emplace_back(detection::name(mode), mode);
    listening.choose(
        "--mode", options.mode, modes,
        fmt::format("auto (default): whole windows of 10.24 s; a shorter file is repeated to fill one,\n"
                    "or followed by silence if it is shorter than {} s (CLAP models repeat it)\n"
                    "crop: the same, but silence follows a shorter file\n"
                    "repeat: quarter windows, quicker to react",
                    detection::repeatedFrom));
    listening.add("--hop", options.hop, "SECONDS",
                  "Seconds between windows, rounded to the model's steps (default: a quarter of a window,\n"
                  "2.56, or 0.64 in mode repeat); smaller is steadier and slower. Models with another\n"
                  "window have other steps");
    addReadOptions(listening, options.reading, whyNotEach);
    addThreadsOption(listening, options.threads)->each([&options](const std::string&) {
        options.threadsGiven = true;
    });
    addPrecisionOption(listening, options.precision);
    return listening;
}

void addAnalyzeOptions(CLI::App& command, AnalyzeOptions& options) {
    command.footer(analyzeExamples);
    const OptionGroup general(command);
    general.add("FILE", options.files, "",
                "Audio files of any rate and channel count, folders (all recordings below), globs in quotes\n"
                "(*, ?, [...], and ** for any folders); - is a recording on standard input");
    general.add("--list", options.list, "FILE",
                "Read more paths from this file, one per line, # begins a comment; - is standard input");
    addModelOptions(general, options.model);

    const OptionGroup listening = addListeningOptions(command, options, nullptr);
    listening.flag("--thorough", options.thorough,
                   "Run all overlapping windows everywhere (default: only where windows that do not overlap\n"
                   "suspect a sound, if the model has a bound for that: see 'earshot info')");
    listening.flag("--continuous", options.continuous,
                   "Files of one recorder that follow each other are analysed as one recording, so that a\n"
                   "sound across two files is one event; it is listed with the file in which it begins");
    addDecidingOptions(command, options);
    addQueryOptions(command, options.queries);

    const OptionGroup results(command, "Results");
    auto names = formats::formatNames();
    const auto help = fmt::format("table for people (default); for programs {}.\n"
                                  "With --output-dir several, as in csv,raven (default: csv)",
                                  fmt::join(names, ", "));
    names.insert(names.begin(), "table");
    results.add("--format", options.formats, "F,...", help, oneOf(names))
        ->delimiter(',')
        ->allow_extra_args(false);
    addTopOption(results, options.top);
    addStartOption(results, options.starts.stated);
    addTimeZoneOption(results, options.starts.zone);
    addExplainOption(results, options.explain);
    addOutputOption(results, options.output);
    const Choices<pictures::PictureFormat> pictureFormats = {{"svg", pictures::PictureFormat::svg},
                                                             {"png", pictures::PictureFormat::png}};
    results.choose("--plot", options.plot, pictureFormats,
                   "Also draw each recording: spectrogram, strongest sounds and events, as NAME.wav.svg in\n"
                   "--output-dir (without it, for a single recording: in the current folder)");
    addOverwriteOption(results, options.overwrite);
    results.flag("--quiet", options.quiet, "No progress, no warnings and no summary; errors still show");
    addBatchOptions(command, options);
}

} // namespace earshot::cli
