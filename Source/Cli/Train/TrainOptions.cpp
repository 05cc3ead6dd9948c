#include "Cli/Train/TrainOptions.h"

#include "Cli/CommonOptions.h"
#include "Cli/OptionChecks.h"
#include "Core/Tensor/Threads.h"

#include <map>

namespace earshot::cli {

namespace {

constexpr const char* examples =
    "Data: a folder with one folder of sound files per class (\"_other\": sounds of no class), or a CSV "
    "with\n"
    "the columns file,onset,offset,label or file,label, and perhaps split, group, licence, author.\n"
    "\n"
    "Examples:\n"
    "  earshot train --data my-sounds --output my.safetensors\n"
    "  earshot train --data my-sounds --output my.safetensors --from default --freeze encoder\n"
    "                      new sounds for the default model, from ten clips each, in minutes\n"
    "  earshot train --data my-sounds --output my.safetensors --from default --minutes 30\n"
    "  earshot train --data my-sounds --output my.safetensors --resume\n"
    "                      go on after Ctrl-C: the same options and --resume\n";

void declareData(CLI::App& command, TrainOptions& options) {
    const std::string group = "Data";
    command.add_option("--data", options.data, "Folders of class-named clips, or CSV files")
        ->required()
        ->type_name("PATH...")
        ->group(group);
    command
        .add_option("--only", options.only,
                    "Learn these classes, leave the others out; may be given several times\n"
                    "(a comma with a blank behind it belongs to the name)")
        ->allow_extra_args(false)
        ->type_name("LABEL,...")
        ->group(group);
    command
        .add_option("--distractors", options.distractors,
                    "Classes that become sounds of no class, to be told from the others")
        ->allow_extra_args(false)
        ->type_name("LABEL,...")
        ->group(group);
    command
        .add_option("--valid-percent", options.validPercent,
                    "Share of the clips to validate with, where the data names no split (default: 20)")
        ->check(wholeNumberBetween(1, 50, "a percentage"))
        ->type_name("N")
        ->group(group);
    command
        .add_option("--fewest-clips", options.fewestClips,
                    "A class with fewer clips is an error (default: 4)")
        ->check(wholeNumberBetween(2, 1000, "a whole number"))
        ->type_name("N")
        ->group(group);
}

void declareResult(CLI::App& command, TrainOptions& options) {
    const std::string group = "Result";
    command
        .add_option(
            "--output", options.output,
            "The model, NAME.safetensors; beside it: NAME.md (its card), NAME.csv (log), NAME.svg\n"
            "(curves), NAME.training.safetensors (to resume), and NAME.problems.txt where much of the\n"
            "data was left out")
        ->required()
        ->type_name("FILE")
        ->group(group);
    addOverwriteOption(command, options.overwrite)->group(group);
    command.add_flag("--resume", options.resume, "Go on with a stopped training; give the same options")
        ->group(group);
    command
        .add_option("--licence,--license", options.licence,
                    "Licence of the weights, for the model and its card")
        ->type_name("TEXT")
        ->group(group);
    const std::map<std::string, training::Storage> storages = {{"float16", training::Storage::float16},
                                                               {"float32", training::Storage::float32}};
    command.add_option("--store", options.storage, "float16 (default): half the size; or float32")
        ->transform(CLI::CheckedTransformer(storages).description(""))
        ->type_name("float16|float32")
        ->group(group);
}

void declareNetwork(CLI::App& command, TrainOptions& options) {
    const std::string group = "Network";
    CLI::Option* from =
        command
            .add_option("--from", options.from,
                        "Start from this model: its encoder, and its head for the classes that it knows by\n"
                        "the same names; 'default' is the model that came with Earshot")
            ->type_name("MODEL")
            ->group(group);
    command.add_option("--freeze", options.freeze, "encoder: train the head alone, in minutes")
        ->needs(from)
        ->check(CLI::IsMember({"encoder"}).description(""))
        ->type_name("encoder")
        ->group(group);
    command
        .add_option("--unfreeze-over", options.unfreezeOver,
                    "Train the head first, then more and more of the encoder, and all of it after this\n"
                    "share of the steps (default: 0.3)")
        ->needs(from)
        ->check(numberBetween(0.0, 1.0, "a share"))
        ->type_name("SHARE")
        ->group(group);
    command.add_option("--width", options.width, "Of a new network (default: 40)")
        ->excludes(from)
        ->check(wholeNumberBetween(4, 512, "a whole number"))
        ->type_name("N")
        ->group(group);
    command.add_option("--depths", options.depths, "Blocks of its stages (default: 2,2,4,2)")
        ->excludes(from)
        ->delimiter(',')
        ->type_name("N,...")
        ->group(group);
    command.add_option("--heads", options.heads, "Attention heads of its stages (default: 2,4,8,16)")
        ->excludes(from)
        ->delimiter(',')
        ->type_name("N,...")
        ->group(group);
}

void declareLength(CLI::App& command, TrainOptions& options) {
    const std::string group = "Length and speed";
    CLI::Option* epochs =
        command
            .add_option("--epochs", options.epochs,
                        "Default: 40; 15 with --from; 20 with --freeze encoder, over the same scenes")
            ->check(wholeNumberBetween(1, 1000000, "a whole number"))
            ->type_name("N")
            ->group(group);
    command
        .add_option("--minutes", options.minutes,
                    "Train for about so long: sets the epochs by the speed of the first steps")
        ->excludes(epochs)
        ->check(numberBetween(0.01, 100000.0, "a number of minutes"))
        ->type_name("N")
        ->group(group);
    command
        .add_option("--scenes-per-epoch", options.scenesPerEpoch,
                    "Scenes of one window, 10 s (default: 2000)")
        ->check(wholeNumberBetween(1, 10000000, "a whole number"))
        ->type_name("N")
        ->group(group);
    command
        .add_option("--valid-scenes", options.validScenes,
                    "Scenes to validate with (default: 200; 100 with --freeze encoder)")
        ->check(wholeNumberBetween(0, 100000, "a whole number"))
        ->type_name("N")
        ->group(group);
    command
        .add_option("--validate-every", options.validateEvery,
                    "Epochs between validations (default: 1; 4 with --freeze encoder)")
        ->check(wholeNumberBetween(1, 1000000, "a whole number"))
        ->type_name("N")
        ->group(group);
    options.threads = tensor::availableCores();
    command.add_option("--threads", options.threads, "Default: the available cores")
        ->check(wholeNumberBetween(1, 256, "a whole number"))
        ->type_name("N")
        ->group(group);
    command
        .add_option("--arithmetic", options.arithmetic,
                    "Of products: auto (default) is bfloat16 where the CPU multiplies it, else float32")
        ->check(CLI::IsMember({"auto", "float32", "bfloat16"}).description(""))
        ->type_name("auto|float32|bfloat16")
        ->group(group);
}

void declareScenes(CLI::App& command, TrainOptions& options) {
    const std::string group = "Training scenes";
    declareSceneOptions(command, options.scenes, group);
    command
        .add_option("--filter-range", options.filterRange,
                    "Of random filters, as of other microphones (default: 6)")
        ->check(numberBetween(0.0, 40.0, "a number of dB"))
        ->type_name("DB")
        ->group(group);
    command
        .add_option("--variation", options.variation,
                    "How much sounds differ from their recordings in speed, colour and room: 0 not at all, "
                    "2 twice as much, and layered with others of their class (default: 1)")
        ->check(numberBetween(0.0, 3.0, "a number"))
        ->type_name("X")
        ->group(group);
}

void declareRecipe(CLI::App& command, TrainOptions& options) {
    const std::string group = "Recipe";
    const auto number = [&](const char* name, auto& value, const char* help, double low, double high) {
        command.add_option(name, value, help)
            ->check(numberBetween(low, high, "a number"))
            ->type_name("X")
            ->group(group);
    };
    command.add_option("--batch", options.batch, "Scenes of a step (default: 8; 32 with --freeze encoder)")
        ->check(wholeNumberBetween(1, 65536, "a whole number"))
        ->type_name("N")
        ->group(group);
    number("--rate", options.rate, "Peak learning rate (default: 0.0003; 0.003 with --freeze encoder)", 0.0,
           10.0);
    number("--warm-up", options.warmUp, "Share of the steps in which the rate rises (default: 0.05)", 0.0,
           1.0);
    number("--weight-decay", options.weightDecay, "Default: 0.05", 0.0, 10.0);
    number("--clip", options.clip, "Norm to which gradients are clipped (default: 1)", 1e-6, 1e9);
    number("--average", options.average,
           "Share of the averaged weights kept at a step (default: 0.999; 0.99 with --from)", 0.0, 0.999999);
    number("--drop-path", options.dropPath, "Stochastic depth (default: 0.1)", 0.0, 0.9);
    number("--label-smoothing", options.labelSmoothing, "Default: 0", 0.0, 0.5);
    number("--positive-weight", options.positiveWeight, "Of where a class sounds, in the loss (default: 1)",
           0.01, 1000.0);
    number("--mixup", options.mixup, "Share of scenes that are mixed with another (default: 0)", 0.0, 1.0);
    number("--mixup-alpha", options.mixupAlpha, "Of the Beta distribution (default: 0.5)", 0.01, 2.0);
    command.add_option("--seed", options.seed, "The same seed gives the same model (default: 1)")
        ->check(wholeNumberBetween(0, 2147483647, "a whole number"))
        ->type_name("N")
        ->group(group);
    command.add_flag("--quiet", options.quiet, "No progress; errors still show");
}

} // namespace

void declareTrainOptions(CLI::App& command, TrainOptions& options) {
    command.footer(examples);
    declareData(command, options);
    declareResult(command, options);
    declareNetwork(command, options);
    declareLength(command, options);
    declareScenes(command, options);
    declareRecipe(command, options);
}

} // namespace earshot::cli
