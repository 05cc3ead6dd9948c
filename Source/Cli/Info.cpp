#include "Cli/Commands.h"
#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Cli/Options.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/Terminal.h"
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Events/Sebbs.h"
#include "Core/Detection/Windows/CalibrationAudio.h"
#include "Core/Detection/Windows/EmbeddingPass.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Model/MemoryNeed.h"
#include "Core/Model/Network/ClapProjection.h"
#include "Core/Model/Network/Network.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Model/Reading/ImageModel.h"
#include "Core/Model/Weights.h"
#include "Core/Text/TextHalf.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

namespace {

constexpr const char* infoExamples = "Examples:\n"
                                     "  earshot info        the default model and its sounds\n"
                                     "  earshot info my.safetensors\n"
                                     "  earshot info my.safetensors --format json\n";

struct InfoOptions {
    ModelOptions model;
    bool json = false;
};

struct ModelFacts {
    std::shared_ptr<const model::Weights> weights;
    detection::Labels labels;
    std::uintmax_t fileBytes = 0;
    std::size_t workspaceBytes = 0; // of one running pass
    std::optional<text::TextHalf> textHalf;
    std::string textProblem; // why the file's text half cannot be used
};

// Other text encoders than those that Earshot has leave the audio half as it is.
void findTextHalf(ModelFacts& facts, const model::ModelSource& source) {
    try {
        facts.textHalf = text::findTextHalf(*model::Checkpoint::open(source));
    } catch (const Error& error) {
        facts.textProblem = error.what();
    }
}

ModelFacts gatherFacts(const model::ModelSource& source) {
    const auto& file = source.file;
    const auto weights = detection::loadWeights(source, model::Precision::automatic);
    ModelFacts facts{weights,
                     detection::Labels::read(weights->metadata(), file, weights->config().classes),
                     std::filesystem::file_size(file),
                     model::Network(weights).workspaceBytes(),
                     {},
                     {}};
    findTextHalf(facts, source);
    return facts;
}

// A line with a name. Text beyond the page's width continues below its beginning.
std::string line(const std::string& name, const std::string& text) {
    constexpr std::size_t nameWidth = 14;
    constexpr std::size_t pageWidth = 100;
    std::string result = padded(name, nameWidth);
    std::size_t used = nameWidth;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t space = text.find(' ', begin);
        const std::string word = text.substr(begin, space == std::string::npos ? space : space - begin);
        const std::size_t width = displayWidth(word);
        if (used > nameWidth && used + 1 + width > pageWidth) {
            result += "\n" + std::string(nameWidth, ' ');
            used = nameWidth;
        }
        if (used > nameWidth) {
            result += ' ';
            ++used;
        }
        result += word;
        used += width;
        begin = space == std::string::npos ? text.size() : space + 1;
    }
    return result + "\n";
}

// Returns the estimate of memory that was checked before the model was read.
std::uint64_t neededBytes(const model::Weights& weights) {
    const auto* const projection = weights.projection();
    return model::memoryNeed(weights.config(), projection == nullptr ? 0 : projection->dimensions()).total();
}

double clipSeconds(const model::Weights& weights) {
    return static_cast<double>(detection::publishedClip(weights).samples) / weights.config().sampleRate;
}

std::string describeEmbedding(const model::Weights& weights) {
    const auto* const projection = weights.projection();
    const int latent = weights.config().latentDim();
    const double seconds = clipSeconds(weights);
    if (projection == nullptr)
        return fmt::format("{} values (latent) for clips of {:.2f} s", latent, seconds);
    return fmt::format(
        "{} values for clips of {:.2f} s (latent: {}); queries are scored with a scale of {:.4g}",
        projection->dimensions(), seconds, latent, projection->scale);
}

const char* encoderOf(const text::TextHalf& half) {
    return half.vocabulary == text::Vocabulary::gpt2 ? "GPT-2" : "RoBERTa";
}

std::string describeTextHalf(const ModelFacts& facts) {
    if (!facts.textProblem.empty()) return displayText("cannot be used: " + facts.textProblem);
    if (!facts.textHalf) return "not in the file";
    const text::TextHalf& half = *facts.textHalf;
    return fmt::format("{}: width {}, {} layers, {} heads; {} parameters; texts of up to {} tokens become {} "
                       "values (earshot embed --texts)",
                       encoderOf(half), half.width, half.layers, half.heads, groupedDigits(half.parameters),
                       half.maxTextLength(), half.dimensions);
}

// Rounds to 6 decimals: 0.225 instead of 0.22499999403953552.
double decimal(float value) { return std::round(static_cast<double>(value) * 1e6) / 1e6; }

std::string originText(model::Origin origin, const char* option, const std::string& assumption = {}) {
    switch (origin) {
    case model::Origin::user:
        return fmt::format("stated by {}", option);
    case model::Origin::file:
        return "stated in the file";
    case model::Origin::matrix:
        return "derived from the mel matrix";
    case model::Origin::published:
        return "as published with such models";
    case model::Origin::assumed:
        return fmt::format("assumed{}; {} states another", assumption.empty() ? "" : " (" + assumption + ")",
                           option);
    }
    return {};
}

const char* originName(model::Origin origin) {
    switch (origin) {
    case model::Origin::user:
        return "user";
    case model::Origin::file:
        return "file";
    case model::Origin::matrix:
        return "mel matrix";
    case model::Origin::published:
        return "published";
    case model::Origin::assumed:
        return "assumed";
    }
    return "";
}

// Whether the bands are those of a mel scale at the model's rate.
bool haveScale(const model::Weights& weights) {
    const auto& mel = weights.layout().mel;
    return weights.melFilters().empty() || (mel && mel->sampleRate == weights.config().sampleRate);
}

std::string describeBands(const model::Weights& weights) {
    const auto& layout = weights.layout();
    const char* const scale = layout.config.htkMelScale ? "HTK scale" : "Slaney scale";
    if (weights.melFilters().empty())
        return fmt::format("{}, {}", scale,
                           layout.origins.bands == model::Origin::file ? "stated in the file" : "assumed");
    if (!layout.mel) return "by filters of its own, which show no sample rate";
    const auto& mel = *layout.mel;
    const auto of = fmt::format("{} ({:g} to {:g} Hz at {} Hz), derived from the mel matrix", scale,
                                mel.lowHz, mel.highHz, mel.sampleRate);
    return haveScale(weights) ? of : fmt::format("by filters of its own: {}", of);
}

std::string describeRate(const model::Weights& weights) {
    const auto& layout = weights.layout();
    return fmt::format("{} Hz, {}", layout.config.sampleRate,
                       originText(layout.origins.sampleRate, "--sample-rate", layout.origins.assumption));
}

std::string describeHop(const model::Weights& weights) {
    const auto& config = weights.config();
    return fmt::format("{} samples ({:.3g} ms), {}", config.hopSize, 1000.0 * config.secondsPerFrame(),
                       originText(weights.layout().origins.hopSize, "--hop-size"));
}

std::string describeSpectrogram(const model::Weights& weights) {
    const auto& config = weights.config();
    const auto heard = detection::heardRange(weights);
    return fmt::format("FFT {}, hop {}; {} mel bands from {:.0f} to {:.0f} Hz, {}", config.fftSize,
                       config.hopSize, config.melBands, heard.lowest, heard.highest, describeBands(weights));
}

std::string describeNetworks(const model::FoundNetworks& networks) {
    return fmt::format("{}; {} is used{}", networks.describe(), networks.network().shownName(),
                       networks.network().averaged ? ", the averaged one" : "");
}

std::string describeHead(const model::Config& config) {
    switch (config.head) {
    case model::HeadKind::pooled:
        return "mean-pooled head";
    case model::HeadKind::tscam:
        return "token-semantic head";
    case model::HeadKind::fine:
        return fmt::format("fine head of width {} with {} layers over time", config.headWidth,
                           config.headLayers);
    }
    return {};
}

std::string asText(const ModelFacts& facts) {
    const model::Weights& weights = *facts.weights;
    const model::Config& config = weights.config();
    std::string labels;
    for (const std::string& label : facts.labels.names())
        labels += (labels.empty() ? "" : "; ") + displayText(label);

    std::string text = line("Model", displayText(weights.file().string()));
    text += line("Kind", weights.kind() + ", " + weights.format());
    if (const auto& networks = weights.layout().networks; networks.all.size() > 1)
        text += line("Networks", describeNetworks(networks));
    text +=
        line("Architecture",
             fmt::format(
                 "Swin transformer, {} blocks: width {}, depths {}, heads {}, attention window {}; {} x {} "
                 "image in {} x {} patches, stride {}; {}",
                 config.block == model::BlockKind::v1 ? "V1" : "V2", config.embedDim,
                 fmt::join(config.depths, ", "), fmt::join(config.heads, ", "), config.attentionSide,
                 config.imageSize, config.imageSize, config.patchSize, config.patchSize, config.patchStride,
                 describeHead(config)));
    for (const auto& remark : weights.layout().remarks) text += line("Note", displayText(remark));
    text += line("Parameters", groupedDigits(weights.parameterCount()));
    text += line("Size", byteCount(static_cast<double>(facts.fileBytes)));
    text +=
        line("Memory", fmt::format("{} weights, {} for each running pass; at most {} to read it and run a "
                                   "pass, of {} allowed",
                                   byteCount(static_cast<double>(weights.memoryBytes())),
                                   byteCount(static_cast<double>(facts.workspaceBytes)),
                                   byteCount(static_cast<double>(neededBytes(weights))),
                                   byteCount(static_cast<double>(model::memoryLimit()))));
    const auto precision = model::choosePrecision(model::Precision::automatic, config.block);
    text += line("Precision", fmt::format("{} unless told otherwise: {}",
                                          model::plainName(weights.precision()), precision.reason));
    text += line("Sample rate", describeRate(weights));
    text += line("Hop", describeHop(weights));
    text += line("Spectrogram", describeSpectrogram(weights));
    text += line("Window",
                 fmt::format("{:.2f} s in steps of {:.2f} s",
                             config.windowFrames() * config.secondsPerFrame(), config.secondsPerToken()));
    text += line("Embedding", describeEmbedding(weights));
    if (weights.projection() != nullptr) text += line("Text half", describeTextHalf(facts));
    if (const auto& sebbs = facts.labels.sebbs())
        text += line("Confidence",
                     fmt::format("learnt: {:.3f} and more with --confidence auto", sebbs->minConfidence()));
    if (const auto& rules = facts.labels.rules(); rules != detection::AuthorRules{})
        text += line("Events",
                     fmt::format("end at {:.0f} % of their threshold; pauses under {:g} s are joined",
                                 100.0f * rules.release.value_or(detection::defaultRelease), rules.mergeGap));
    if (const auto bound = facts.labels.coarseBound())
        text +=
            line("Two steps",
                 fmt::format("analyze passes over what stays below {:.3f} of a threshold's odds in a first "
                             "look; --thorough does not",
                             *bound));
    text += line("Licence", facts.labels.licence().empty() ? "not stated in the file"
                                                           : displayText(facts.labels.licence()));
    return text + line("Sounds", fmt::format("{}, named by {}: {}", facts.labels.count(),
                                             facts.labels.source(), labels));
}

// By stage; empty for V1 blocks, which have none.
std::vector<int> pretrainedSides(const model::Config& config) {
    std::vector<int> sides;
    for (int stage = 0; config.block == model::BlockKind::v2 && stage < config.stageCount(); ++stage)
        sides.push_back(config.pretrainedSide(stage));
    return sides;
}

std::string asText(model::Checkpoint& checkpoint, const model::ImageModel& image) {
    const auto& file = checkpoint.file();
    std::string text = line("Model", displayText(file.string()));
    text += line("Kind", image.name() + ", " + checkpoint.format());
    text += line("Use", "a start for training; it cannot listen by itself");
    text += line("Parameters", groupedDigits(image.parameters));
    text += line("Size", byteCount(static_cast<double>(std::filesystem::file_size(file))));
    const auto config = model::startingConfig(checkpoint, image);
    text += line("Start", fmt::format("a network of width {}, depths {}, heads {}, attention window {}",
                                      config.embedDim, fmt::join(config.depths, ", "),
                                      fmt::join(config.heads, ", "), config.attentionSide));
    return text + line("Train", displayText("earshot train --data FOLDER --output NAME.safetensors --from " +
                                            file.string()));
}

std::string asJson(model::Checkpoint& checkpoint, const model::ImageModel& image) {
    nlohmann::ordered_json document;
    document["file"] = checkpoint.file().string();
    document["kind"] = fmt::format("Swin V{} image model", image.version);
    document["format"] = checkpoint.format();
    document["parameters"] = image.parameters;
    document["file_bytes"] = std::filesystem::file_size(checkpoint.file());
    document["image_classes"] = image.classes;
    document["listens"] = false;
    const auto config = model::startingConfig(checkpoint, image);
    document["config"] = {{"embed_dim", config.embedDim},
                          {"depths", config.depths},
                          {"num_heads", config.heads},
                          {"window_size", config.attentionSide}};
    if (const auto sides = pretrainedSides(config); !sides.empty())
        document["config"]["pretrained_window_sizes"] = sides;
    return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string asJson(const ModelFacts& facts) {
    const model::Weights& weights = *facts.weights;
    const model::Config& config = weights.config();
    nlohmann::ordered_json document;
    document["file"] = weights.file().string();
    document["kind"] = weights.kind();
    document["format"] = weights.format();
    document["parameters"] = weights.parameterCount();
    document["file_bytes"] = facts.fileBytes;
    document["memory_bytes"] = {{"weights", weights.memoryBytes()},
                                {"pass", facts.workspaceBytes},
                                {"most", neededBytes(weights)},
                                {"allowed", model::memoryLimit()}};
    document["precision"] = {
        {"automatic", model::optionName(weights.precision())},
        {"reason", model::choosePrecision(model::Precision::automatic, config.block).reason}};
    const auto heard = detection::heardRange(weights);
    document["config"] = {{"sample_rate", config.sampleRate},
                          {"n_fft", config.fftSize},
                          {"hop_size", config.hopSize},
                          {"mel_bins", config.melBands},
                          {"fmin", heard.lowest},
                          {"fmax", heard.highest},
                          {"mel_scale", nullptr},
                          {"spec_size", config.imageSize},
                          {"patch_size", config.patchSize},
                          {"patch_stride", config.patchStride},
                          {"embed_dim", config.embedDim},
                          {"depths", config.depths},
                          {"num_heads", config.heads},
                          {"window_size", config.attentionSide},
                          {"block", model::nameOf(config.block)},
                          {"pretrained_window_sizes", pretrainedSides(config)},
                          {"head", model::nameOf(config.head)},
                          {"head_width", config.headWidth},
                          {"head_layers", config.headLayers},
                          {"classes", config.classes}};
    if (haveScale(weights)) document["config"]["mel_scale"] = config.htkMelScale ? "htk" : "slaney";
    const auto& layout = weights.layout();
    document["origins"] = {{"sample_rate", originName(layout.origins.sampleRate)},
                           {"hop_size", originName(layout.origins.hopSize)},
                           {"mel_bands", originName(layout.origins.bands)}};
    if (!layout.origins.assumption.empty()) document["assumption"] = layout.origins.assumption;
    document["remarks"] = layout.remarks;
    document["mel_matrix"] = nullptr;
    if (const auto& mel = layout.mel)
        document["mel_matrix"] = {{"sample_rate", mel->sampleRate},
                                  {"fmin", mel->lowHz},
                                  {"fmax", mel->highHz},
                                  {"mel_scale", mel->scale == frontend::MelScale::htk ? "htk" : "slaney"}};
    document["networks"] = nlohmann::ordered_json::array();
    for (const auto& network : layout.networks.all)
        document["networks"].push_back({{"name", network.name},
                                        {"weights", model::nameOf(network.weights)},
                                        {"used", &network == &layout.networks.network()}});
    document["embedding"] = {{"latent", config.latentDim()},
                             {"projected", nullptr},
                             {"clip_s", clipSeconds(weights)},
                             {"scale", nullptr}};
    if (const auto* const projection = weights.projection()) {
        document["embedding"]["projected"] = projection->dimensions();
        document["embedding"]["scale"] = projection->scale;
    }
    document["text_half"] = nullptr;
    if (!facts.textProblem.empty()) document["text_half"] = {{"problem", facts.textProblem}};
    if (const auto& half = facts.textHalf)
        document["text_half"] = {{"encoder", encoderOf(*half)},    {"width", half->width},
                                 {"layers", half->layers},         {"heads", half->heads},
                                 {"parameters", half->parameters}, {"tokens", half->maxTextLength()},
                                 {"dimensions", half->dimensions}};
    const auto& sebbs = facts.labels.sebbs();
    document["least_confidence"] = sebbs ? nlohmann::ordered_json(decimal(sebbs->minConfidence())) : nullptr;
    document["rules"] = {
        {"release", decimal(facts.labels.rules().release.value_or(detection::defaultRelease))},
        {"merge_gap", facts.labels.rules().mergeGap}};
    const auto bound = facts.labels.coarseBound();
    document["coarse_bound"] = bound ? nlohmann::ordered_json(decimal(*bound)) : nullptr;
    document["licence"] = facts.labels.licence();
    document["labels"] = facts.labels.names();
    return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace

Command makeInfoCommand(CLI::App& program) {
    CLI::App* command = program.add_subcommand("info", "Describe a model and the sounds it detects");
    command->footer(infoExamples);
    const auto options = std::make_shared<InfoOptions>();
    const OptionGroup general(*command);
    addModelArgument(general, options->model);
    const Choices<bool> formats = {{"text", false}, {"json", true}};
    general.choose("--format", options->json, formats, "text for people (default) or json for programs");
    return {command, [options]() -> int {
                const auto source = locateModel(options->model);
                const auto checkpoint = model::Checkpoint::open(source);
                std::string description;
                if (const auto image = model::findImageModel(*checkpoint)) {
                    description = options->json ? asJson(*checkpoint, *image) : asText(*checkpoint, *image);
                } else {
                    const ModelFacts facts = gatherFacts(source);
                    description = options->json ? asJson(facts) : asText(facts);
                }
                OutputStream output;
                output.write(description);
                output.finish();
                return success;
            }};
}

} // namespace earshot::cli
