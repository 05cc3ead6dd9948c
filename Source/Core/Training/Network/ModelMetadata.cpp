#include "Core/Training/Network/ModelMetadata.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace earshot::training {

// The form that ConfigReader reads. Values that follow from shapes (qkv bias, patch norm, MLP ratio) are left
// out.
std::string configMetadata(const model::Config& config) {
    nlohmann::ordered_json object;
    object["sample_rate"] = config.sampleRate;
    object["n_fft"] = config.fftSize;
    object["hop_size"] = config.hopSize;
    object["mel_bins"] = config.melBands;
    object["fmin"] = config.lowHz;
    object["fmax"] = config.highHz;
    object["mel_scale"] = config.htkMelScale ? "htk" : "slaney";
    object["spec_size"] = config.imageSize;
    object["patch_size"] = config.patchSize;
    object["patch_stride"] = {config.patchStride, config.patchStride};
    object["embed_dim"] = config.embedDim;
    object["depths"] = config.depths;
    object["num_heads"] = config.heads;
    object["window_size"] = config.attentionSide;
    object["block"] = model::nameOf(config.block);
    if (!config.pretrainedSides.empty()) object["pretrained_window_sizes"] = config.pretrainedSides;
    object["classes"] = config.classes;
    object["head"] = model::nameOf(config.head);
    if (config.head == model::HeadKind::fine) {
        object["head_width"] = config.headWidth;
        object["head_layers"] = config.headLayers;
    }
    return object.dump();
}

std::string labelMetadata(const std::vector<std::string>& labels) {
    return nlohmann::json(labels).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string thresholdMetadata(std::span<const std::optional<float>> thresholds) {
    auto array = nlohmann::json::array();
    for (const auto threshold : thresholds)
        array.push_back(threshold ? nlohmann::json(static_cast<double>(*threshold)) : nlohmann::json());
    return array.dump();
}

std::string thresholdMetadata(std::span<const float> thresholds) {
    auto array = nlohmann::json::array();
    for (const float threshold : thresholds)
        array.push_back(std::round(static_cast<double>(threshold) * 1000.0) / 1000.0);
    return array.dump();
}

} // namespace earshot::training
