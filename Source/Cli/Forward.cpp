#include "Cli/Commands.h"
#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Cli/Options.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/Terminal.h"
#include "Core/Audio/AudioFile.h"
#include "Core/Base/Error.h"
#include "Core/Base/WholeFile.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Frontend/LogMel.h"
#include "Core/Model/Network/Network.h"
#include "Core/Model/Network/ReferenceModes.h"
#include "Core/Model/Reading/SafetensorsWriter.h"
#include "Core/Model/Weights.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace earshot::cli {

namespace {

constexpr const char* forwardNotes =
    "Writes framewise_output (frames, classes), clipwise_output (classes) and\n"
    "latent_output as float32 tensors, and for CLAP models embedding, as they project\n"
    "latent_output (LAION-CLAP's has length 1). Microsoft CLAP takes 7 s and\n"
    "LAION-CLAP 10 s: cut or repeat a clip to that first, or use 'earshot embed',\n"
    "which does so.\n"
    "\n"
    "Examples:\n"
    "  earshot forward clip.wav --model HTSAT.ckpt --mode fit --out clip.safetensors\n"
    "  earshot forward clip.wav --model CLAP_weights_2023.pth --mode fit \\\n"
    "      --out clip.safetensors\n";

struct ForwardOptions {
    std::string file;
    ModelOptions model;
    std::string mode;
    std::string out;
    bool overwrite = false;
    int threads = 1;
    model::Precision precision = model::Precision::float32;
};

// Reads the clip and resamples it to the model's rate. Throws once the clip is longer than any mode takes, so
// that a day of audio is refused without reading all of it.
std::vector<float> readClip(const std::string& name, audio::AudioFile& file, const model::Config& config) {
    if (file.sampleRate() != config.sampleRate)
        printNote(fmt::format("{}: resampled from {} to {} Hz", name, file.sampleRate(), config.sampleRate));
    // Mode crop takes clips of up to two windows.
    const auto longest =
        static_cast<std::size_t>(2 * config.windowFrames() + 2) * static_cast<std::size_t>(config.hopSize);
    detection::BlockReader reader(file, config.sampleRate);
    std::vector<float> clip;
    while (reader.next()) {
        clip.insert(clip.end(), reader.block().begin(), reader.block().end());
        if (clip.size() > longest)
            throw Error(
                fmt::format("{}: longer than {:.2f} s, the most that a forward pass takes; use 'earshot "
                            "analyze', which takes any length",
                            name, static_cast<double>(longest) / config.sampleRate));
    }
    if (reader.summary().failure) throw Error(*reader.summary().failure);
    if (clip.empty())
        throw Error(name + ": too short, not one sample is left at the model's rate; use a longer clip");
    printWarnings(name, reader.summary().warnings);
    return clip;
}

void checkFiles(const ForwardOptions& options, const std::filesystem::path& model) {
    OutputCheck files;
    files.writes(options.out);
    addModel(files, model);
    addRecording(files, options.file);
    requireSafe(files, options.overwrite);
    requireWritable(options.out);
}

int runForward(const ForwardOptions& options) {
    const auto source = locateModel(options.model);
    checkFiles(options, source.file);
    tensor::setThreadCount(options.threads);
    const auto weights = loadModel(source, options.precision);
    const model::Config& config = weights->config();
    audio::AudioFile file =
        openAudio({.path = options.file, .name = options.file, .problem = {}, .named = true});
    const std::vector<float> clip = readClip(options.file, file, config);
    const std::vector<float> logMel = frontend::logMelSpectrogram(detection::logMelSettings(*weights), clip);

    model::Network network(weights);
    const auto output = [&] {
        try {
            return model::forward(network, logMel, model::referenceMode(options.mode));
        } catch (const Error& error) {
            throw Error(options.file + ": " + error.what());
        }
    }();
    std::vector<model::NamedTensor> tensors = {
        {"framewise_output", {config.windowFrames(), config.classes}, output.framewise},
        {"clipwise_output", {config.classes}, output.clipwise},
        {"latent_output", {config.latentDim()}, output.latent}};
    if (!output.embedding.empty())
        tensors.push_back(
            {"embedding", {static_cast<std::int64_t>(output.embedding.size())}, output.embedding});
    model::writeSafetensors(options.out, tensors);
    return success;
}

} // namespace

Command makeForwardCommand(CLI::App& program) {
    CLI::App* command = program.add_subcommand("forward", "Write the output of one network pass over a clip");
    command->footer(forwardNotes);
    const auto options = std::make_shared<ForwardOptions>();
    const OptionGroup general(*command);
    general.add("FILE", options->file, "", "Audio clip; - is standard input")->required();
    addModelOptions(general, options->model);
    general
        .add("--mode", options->mode, "fit|infer|repeat|crop",
             "fit: a clip of up to 10.24 s\n"
             "infer: a shorter clip, repeated\n"
             "repeat: its quarters, each tiled to a window\n"
             "crop: up to 20.48 s, in overlapping crops",
             oneOf({"fit", "infer", "repeat", "crop"}))
        ->required();
    general.add("--out", options->out, "OUT.safetensors", "Where to write the result", notDash())->required();
    addOverwriteOption(general, options->overwrite);
    addThreadsOption(general, options->threads);
    addPrecisionOption(general, options->precision);
    addDecoderOption(general);
    return {command, [options] { return runForward(*options); }};
}

} // namespace earshot::cli
