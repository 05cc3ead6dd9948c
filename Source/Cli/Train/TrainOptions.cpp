#include "Cli/Train/TrainOptions.h"

#include "Cli/ExitCode.h"
#include "Cli/Options.h"
#include "Core/Model/ModelLocator.h"
#include "Core/Model/Reading/ImageModel.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>

#include <algorithm>

namespace earshot::cli {

namespace {

constexpr const char* trainExamples =
    "Data: a folder with one folder of sound files per class (\"_other\": sounds of no\n"
    "class; \"_background\"; \"_rooms\": impulse responses; \"_unlabelled\": sounds that\n"
    "--soft-labels alone name), or a table with the columns\n"
    "file,onset,offset,label or file,label, and perhaps split, group, source_type,\n"
    "licence, author; or a table of Raven, Audacity, DCASE, Kaleidoscope or\n"
    "'earshot analyze'.\n"
    "\n"
    "Examples:\n"
    "  earshot train --data my-sounds --output my.safetensors\n"
    "  earshot train --data my-sounds --output my.safetensors --from default \\\n"
    "      --freeze encoder\n"
    "                      new sounds for the default model, from ten clips each, in\n"
    "                      minutes\n"
    "  earshot train --data my-sounds --output my.safetensors --from default \\\n"
    "      --minutes 30\n"
    "  earshot train --data my-sounds --output my.safetensors --resume\n"
    "                      resume after Ctrl-C: the same options and --resume\n";

void addDataOptions(CLI::App& command, TrainOptions& options) {
    const OptionGroup group(command, "Data");
    group.add("--data", options.data, "PATH...", "Folders of class-named clips, or tables of labels")
        ->required();
    addLabelColumnOption(group, options.labelColumn);
    addReadOptions(group, options.recordings, labelsNameNoChannel);
    group
        .add("--only", options.only, "LABEL,...",
             "Learn these classes, leave the others out; may be given several times\n"
             "(a comma before a blank belongs to the name)")
        ->allow_extra_args(false);
    group
        .add("--distractors", options.distractors, "LABEL,...",
             "Classes to learn as sounds of no class, so that they are not taken for the others")
        ->allow_extra_args(false);
    group
        .add("--without-licences,--without-licenses", options.withoutLicences, "TEXT,...",
             "Leave out recordings whose licence contains one of these texts, such as NC,SA,GPL")
        ->allow_extra_args(false);
    group.add("--valid-percent", options.validPercent, "N",
              "Percentage of clips to validate with, if the data names no split (default: 20)",
              wholeNumberBetween(1, 50, "a percentage"));
    group.add("--fewest-clips", options.minClips, "N", "A class with fewer clips is an error (default: 4)",
              wholeNumberBetween(2, 1000));
}

void addResultOptions(CLI::App& command, TrainOptions& options) {
    const OptionGroup group(command, "Result");
    group
        .add("--output", options.output, "FILE",
             "The model, NAME.safetensors; beside it: NAME.md (its card), NAME.csv (log), NAME.svg\n"
             "(curves), NAME.training.safetensors (to resume), and NAME.problems.txt if much of the\n"
             "data was left out")
        ->required();
    addOverwriteOption(group, options.overwrite);
    group.flag("--resume", options.resume, "Resume a stopped training; give the same options");
    group.add("--licence,--license", options.licence, "TEXT",
              "Licence of the weights, for the model and its card");
    const Choices<training::Storage> storages = {{"float16", training::Storage::float16},
                                                 {"float32", training::Storage::float32}};
    group.choose("--store", options.storage, storages, "float16 (default): half the size; or float32");
}

void addNetworkOptions(CLI::App& command, TrainOptions& options) {
    const OptionGroup group(command, "Network");
    CLI::Option* from =
        group.add("--from,--model", options.from, "MODEL",
                  "Start from this model: its encoder, and the part of its head for classes of the\n"
                  "same names; 'default' is the model that came with Earshot. A Swin Transformer of\n"
                  "images (ImageNet) serves too, and is then trained like a new network");
    addModelReadingOptions(group, options.reading);
    group
        .add("--freeze", options.freeze, "encoder", "encoder: train the head alone, in minutes",
             oneOf({"encoder"}))
        ->needs(from);
    group
        .add("--unfreeze-over", options.unfreezeOver, "SHARE",
             "Train the head first, then gradually the encoder, and everything after this share of\n"
             "the steps (default: 0.3; 0 from an image model)",
             numberBetween(0.0, 1.0, "a share"))
        ->needs(from);
    group
        .add("--width", options.width, "N", "Width of a new network (default: 40)",
             wholeNumberBetween(4, 512))
        ->excludes(from);
    group.add("--depths", options.depths, "N,...", "Blocks in each stage (default: 2,2,4,2)")
        ->excludes(from)
        ->delimiter(',');
    group.add("--heads", options.heads, "N,...", "Attention heads in each stage (default: 2,4,8,16)")
        ->excludes(from)
        ->delimiter(',');
    const Choices<model::BlockKind> blocks = {{"v1", model::BlockKind::v1}, {"v2", model::BlockKind::v2}};
    group
        .choose("--blocks", options.blocks, blocks,
                "Blocks of a new network: those of Swin or of Swin V2 (default: v1)")
        ->excludes(from);
    group
        .add("--fine-head", options.fineHead, "WIDTH,LAYERS",
             "A head with steps of 0.08 s in place of 0.32 s, such as 96,2; with --from it takes the\n"
             "place of the model's head")
        ->expected(2)
        ->delimiter(',');
}

void addLengthOptions(CLI::App& command, TrainOptions& options) {
    const OptionGroup group(command, "Length and speed");
    CLI::Option* epochs =
        group.add("--epochs", options.epochs, "N",
                  "Epochs (default: 40; 15 with --from a model of sounds; 20 with --freeze encoder, over\n"
                  "the same scenes)",
                  wholeNumberBetween(1, 1000000));
    group
        .add("--minutes", options.minutes, "N",
             "Train for about this long: the speed of the first steps sets the number of epochs",
             numberBetween(0.01, 100000.0, "a number of minutes"))
        ->excludes(epochs);
    group.add("--scenes-per-epoch", options.scenesPerEpoch, "N", "Scenes of one window, 10 s (default: 2000)",
              wholeNumberBetween(1, 10000000));
    group.add("--valid-scenes", options.validScenes, "N",
              "Scenes to validate with (default: 200; 100 with --freeze encoder)",
              wholeNumberBetween(0, 100000));
    group.add("--validate-every", options.validateEvery, "N",
              "Epochs between validations (default: 1; 4 with --freeze encoder)",
              wholeNumberBetween(1, 1000000));
    options.threads = tensor::availableCores();
    group.add("--threads", options.threads, "N",
              "Threads (default: the available cores); no more than --batch are used",
              wholeNumberBetween(1, 256));
    group.add("--arithmetic", options.arithmetic, "auto|float32|bfloat16",
              "Numbers that are multiplied: auto (default) is bfloat16 if the CPU supports it, else float32",
              oneOf({"auto", "float32", "bfloat16"}));
}

void addScenesOptions(CLI::App& command, TrainOptions& options) {
    const OptionGroup group(command, "Training scenes");
    addSceneOptions(group, options.scenes);
    group.add("--filter-range", options.filterRange, "DB",
              "Strength of random filters, which imitate other microphones (default: 6)",
              numberBetween(0.0, 40.0, "a number of dB"));
    group.add("--variation", options.variation, "X",
              "How much sounds vary in speed, colour and room: 0 not at all, 2 twice as much. Above 1 some "
              "are also layered with others of their class (default: 1)",
              numberBetween(0.0, 3.0, "a number"));
    group.add(
        "--late-onsets", options.lateOnsets, "X",
        "Share of sounds that begin in the last second of a scene, as live notes meet them (default: 0)",
        numberBetween(0.0, 1.0, "a number"));
    group.add("--clean-clips", options.cleanClips, "X",
              "Share of scenes that are one recording, unchanged and in silence (default: 0)",
              numberBetween(0.0, 1.0, "a number"));
}

void addRecipeOptions(CLI::App& command, TrainOptions& options) {
    const OptionGroup group(command, "Recipe");
    const auto number = [&](const char* name, auto& value, const char* help, double low, double high) {
        group.add(name, value, "X", help, numberBetween(low, high, "a number"));
    };
    group.add(
        "--batch", options.batch, "N",
        "Scenes in a step (default: 8; 32 with --freeze encoder), rounded up to as many for each thread",
        wholeNumberBetween(1, 65536));
    number("--rate", options.rate, "Peak learning rate (default: 0.0003; 0.003 with --freeze encoder)", 0.0,
           10.0);
    number("--warm-up", options.warmUp, "Share of the steps in which the learning rate rises (default: 0.05)",
           0.0, 1.0);
    number("--weight-decay", options.weightDecay, "Weight decay (default: 0.05)", 0.0, 10.0);
    number("--clip", options.clip, "Norm to which gradients are clipped (default: 1)", 1e-6, 1e9);
    number("--average", options.average,
           "Decay of the averaged weights at each step (default: 0.999; 0.99 with --from a model of sounds)",
           0.0, 0.999999);
    number("--drop-path", options.dropPath, "Stochastic depth (default: 0.1)", 0.0, 0.9);
    number("--label-smoothing", options.labelSmoothing, "Label smoothing (default: 0)", 0.0, 0.5);
    number("--positive-weight", options.positiveWeight,
           "Weight in the loss of times at which a class sounds (default: 1)", 0.01, 1000.0);
    number("--newest-weight", options.newestWeight,
           "Weight in the loss of the last 0.96 s of a scene, which live notes wait for (default: 1)", 0.01,
           100.0);
    number("--mixup", options.mixup, "Share of scenes that are mixed with another (default: 0)", 0.0, 1.0);
    number("--mixup-alpha", options.mixupAlpha, "Parameter of mixup's Beta distribution (default: 0.5)", 0.01,
           2.0);
    group.add(
        "--seed", options.seed, "N",
        "The same seed gives the same model, with as many threads and on processors of one kind (default: 1)",
        wholeNumberBetween(0, 2147483647));
    OptionGroup(command).flag("--quiet", options.quiet, "No progress; errors still show");
}

void addTeacherOptions(CLI::App& command, TrainOptions& options) {
    const OptionGroup group(command, "Teacher: another network's outputs for the same recordings");
    CLI::Option* soft =
        group.add("--soft-labels", options.softLabels, "FILE",
                  "Probabilities of labels for each recording: CSV with the columns file,LABEL,..., or\n"
                  "NAME.npy with NAME.csv (file) and NAME.labels.csv (label)");
    group
        .add("--soft-share", options.softShare, "X",
             "Share of the soft labels in the targets, the rest are the labels (default: 0.5)",
             numberBetween(0.0, 1.0, "a share"))
        ->needs(soft);
    group
        .add("--unlabelled-share", options.unlabelledShare, "X",
             "Share of recordings without labels in the sounds of scenes (default: 0.25)",
             numberBetween(0.0, 1.0, "a share"))
        ->needs(soft);
    CLI::Option* embeddings =
        group.add("--embeddings", options.embeddings, "FILE",
                  "A vector for each recording that the features are to tell: CSV with the columns\n"
                  "file,0,1,..., or NAME.npy with NAME.csv (file)");
    group
        .add("--embedding-weight", options.embeddingWeight, "X",
             "Norm of the embeddings' gradient beside that of the labels (default: 1)",
             numberBetween(0.0, 100.0, "a number"))
        ->needs(embeddings);
    group.add("--teacher", options.teacher, "TEXT", "Name and licence of the teacher, for the card");
}

// Splits lists at commas. A comma followed by a blank belongs to the name ("Gunshot, explosion").
std::vector<std::string> namesOf(const std::vector<std::string>& lists) {
    std::vector<std::string> names;
    for (const std::string& list : lists) {
        std::string name;
        for (std::size_t i = 0; i <= list.size(); ++i) {
            const bool isEnd =
                i == list.size() || (list[i] == ',' && (i + 1 == list.size() || list[i + 1] != ' '));
            if (!isEnd) {
                name += list[i];
                continue;
            }
            if (!name.empty()) names.push_back(name);
            name.clear();
        }
    }
    return names;
}

training::Arithmetic arithmeticOf(const std::string& name) {
    if (name == "auto") return training::bestArithmetic();
    if (name == "float32") return training::Arithmetic::float32;
    if (training::bestArithmetic() != training::Arithmetic::bfloat16)
        throw UsageError("--arithmetic: this CPU does not multiply bfloat16; use auto or float32");
    return training::Arithmetic::bfloat16;
}

model::ModelSource startModel(const TrainOptions& options) {
    const auto& from = *options.from;
    if (from == "default") return {model::defaultModel("name a model with --from"), options.reading};
    std::error_code failure;
    if (!std::filesystem::exists(from, failure))
        throw UsageError("--from: " + from +
                         ": no such model file; check the name, or say 'default' for Earshot's own");
    return {from, options.reading};
}

// An image model's encoder has yet to hear: it is trained like a new network.
bool isImageModel(const std::filesystem::path& file) {
    return model::findImageModel(*model::Checkpoint::open(file)).has_value();
}

// What --weights, --sample-rate and --hop-size say must be of a model that listens.
void requireReadable(const TrainOptions& options, const std::optional<model::ModelSource>& from) {
    if (options.reading == model::ReadingChoice()) return;
    if (!from) throw UsageError("--weights, --sample-rate and --hop-size are of the model of --from");
    if ((options.reading.sampleRate || options.reading.hopSize) && isImageModel(from->file))
        throw UsageError("--sample-rate and --hop-size: a model of images has none; leave them out");
}

std::optional<training::FineHeadSize> fineHeadOf(const TrainOptions& options) {
    if (options.fineHead.empty()) return std::nullopt;
    const training::FineHeadSize head{.width = options.fineHead[0], .layers = options.fineHead[1]};
    model::Config config;
    head.applyTo(config);
    try {
        config.validate();
    } catch (const std::exception& problem) {
        throw UsageError(std::string("--fine-head: ") + problem.what());
    }
    return head;
}

model::Config newNetwork(const TrainOptions& options) {
    model::Config config;
    config.embedDim = options.width;
    config.depths = options.depths;
    config.heads = options.heads;
    config.block = options.blocks;
    if (const auto head = fineHeadOf(options)) head->applyTo(config);
    try {
        config.validate();
    } catch (const std::exception& problem) {
        throw UsageError(std::string("--width, --depths, --heads: ") + problem.what());
    }
    return config;
}

} // namespace

void addTrainOptions(CLI::App& command, TrainOptions& options) {
    command.footer(trainExamples);
    const OptionGroup general(command);
    addDataOptions(command, options);
    addResultOptions(command, options);
    addNetworkOptions(command, options);
    addLengthOptions(command, options);
    addScenesOptions(command, options);
    addRecipeOptions(command, options);
    addTeacherOptions(command, options);
}

training::RunSettings runSettings(const TrainOptions& options) {
    const bool head = options.freeze.has_value();
    if (options.resume && options.overwrite)
        throw UsageError("--resume goes on with a training and --overwrite begins a new one; choose one");
    if (head && options.unfreezeOver)
        throw UsageError("--freeze encoder keeps the encoder as it is; leave --unfreeze-over out");
    if (head && options.embeddings)
        throw UsageError(
            "--embeddings trains the encoder, which --freeze encoder keeps as it is; choose one");
    if (head && options.minutes)
        throw UsageError("--freeze encoder takes minutes anyway; leave --minutes out, or set --epochs");

    training::RunSettings run;
    run.data.sources.assign(options.data.begin(), options.data.end());
    run.data.labelColumn = options.labelColumn;
    run.data.reading = options.recordings;
    run.data.distractors = namesOf(options.distractors);
    run.data.only = namesOf(options.only);
    run.data.withoutLicences = namesOf(options.withoutLicences);
    run.data.validShare = options.validPercent / 100.0;
    run.data.minClips = options.minClips;
    run.data.seed = options.seed;
    options.scenes.applyTo(run.scenes);
    run.scenes.filterRange = static_cast<float>(options.filterRange);
    run.scenes.lateShare = static_cast<float>(options.lateOnsets);
    run.scenes.cleanShare = static_cast<float>(options.cleanClips);
    run.scenes.unlabelledShare = static_cast<float>(options.unlabelledShare);
    run.scenes.softShare = static_cast<float>(options.softShare);
    if (options.softLabels) run.teacher.softLabels = *options.softLabels;
    if (options.embeddings) run.teacher.embeddings = *options.embeddings;
    run.teacherName = options.teacher;
    run.variation = static_cast<float>(options.variation);
    run.output = options.output;
    run.overwrite = options.overwrite;
    run.resume = options.resume;
    run.licence = options.licence;
    run.storage = options.storage;

    if (options.from) {
        run.from = startModel(options);
        run.fineHead = fineHeadOf(options);
    } else {
        run.network = newNetwork(options);
    }
    requireReadable(options, run.from);
    const bool tuning = run.from && !head && !isImageModel(run.from->file);
    run.freezeEncoder = head;
    run.unfreezeOver = options.unfreezeOver.value_or(tuning ? 0.3 : 0.0);

    run.epochs = options.epochs.value_or(head ? 20 : tuning ? 15 : 40);
    run.scenesPerEpoch = options.scenesPerEpoch.value_or(2000);
    run.minutes = options.minutes;
    run.validScenes = options.validScenes.value_or(head ? 100 : 200);
    run.validateEvery = options.validateEvery.value_or(head ? 4 : 1);
    run.warmUpShare = options.warmUp;

    training::TrainerSettings& trainer = run.trainer;
    trainer.threads = options.threads;
    trainer.arithmetic = arithmeticOf(options.arithmetic);
    trainer.batch = options.batch.value_or(head ? 32 : 8);
    trainer.microBatch = std::clamp(trainer.batch / trainer.threads, 1, trainer.microBatch);
    trainer.peakRate = options.rate.value_or(head ? 3e-3 : 3e-4);
    trainer.finalRate = trainer.peakRate / 100.0;
    trainer.weightDecay = options.weightDecay;
    trainer.clipNorm = options.clip;
    trainer.average = options.average.value_or(head || tuning ? 0.99 : 0.999);
    trainer.dropPath = static_cast<float>(options.dropPath);
    trainer.mixup = static_cast<float>(options.mixup);
    trainer.mixupAlpha = static_cast<float>(options.mixupAlpha);
    trainer.embeddingWeight = options.embeddingWeight;
    trainer.loss.labelSmoothing = static_cast<float>(options.labelSmoothing);
    trainer.loss.positiveWeight = static_cast<float>(options.positiveWeight);
    trainer.loss.newestWeight = static_cast<float>(options.newestWeight);
    trainer.seed = options.seed;
    return run;
}

} // namespace earshot::cli
