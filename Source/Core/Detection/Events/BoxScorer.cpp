#include "Core/Detection/Events/BoxScorer.h"

#include "Core/Base/Error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace earshot::detection {

namespace {

constexpr const char* key = "earshot.boxes";
constexpr std::size_t mostHidden = 256;
constexpr float leastScale = 1e-6f;

bool finite(std::span<const float> values) {
    return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

bool sound(const BoxNetwork& network) {
    const std::size_t hidden = network.hiddenWeights.size();
    return hidden >= 1 && hidden <= mostHidden && network.hiddenBiases.size() == hidden &&
           network.outputWeights.size() == hidden && finite(network.mean) && finite(network.scale) &&
           std::ranges::all_of(network.scale, [](float scale) { return scale >= leastScale; }) &&
           std::ranges::all_of(network.hiddenWeights, [](const auto& row) { return finite(row); }) &&
           finite(network.hiddenBiases) && finite(network.outputWeights) &&
           std::isfinite(network.outputBias) && finite(network.classBiases);
}

} // namespace

BoxScorer::BoxScorer(BoxNetwork network, float leastConfidence)
    : network_(std::move(network))
    , leastConfidence_(leastConfidence) {
    if (!sound(network_)) throw Error("its layers do not fit together, or hold values that are no numbers");
    if (!(leastConfidence_ >= 0.0f && leastConfidence_ <= 1.0f))
        throw Error(fmt::format("the least confidence is {}, which is not from 0 to 1", leastConfidence_));
}

std::shared_ptr<const BoxScorer> BoxScorer::read(const std::map<std::string, std::string>& metadata,
                                                 const std::filesystem::path& modelFile, int classes) {
    const auto text = metadata.find(key);
    if (text == metadata.end()) return nullptr;
    const std::string where = modelFile.filename().string() + ": " + key + ": ";
    try {
        const auto object = nlohmann::json::parse(text->second);
        BoxNetwork network;
        object.at("mean").get_to(network.mean);
        object.at("scale").get_to(network.scale);
        object.at("hidden_weights").get_to(network.hiddenWeights);
        object.at("hidden_biases").get_to(network.hiddenBiases);
        object.at("output_weights").get_to(network.outputWeights);
        object.at("output_bias").get_to(network.outputBias);
        object.at("class_biases").get_to(network.classBiases);
        if (network.classBiases.size() != static_cast<std::size_t>(classes))
            throw Error(fmt::format("expected {} classes, found {}", classes, network.classBiases.size()));
        return std::make_shared<const BoxScorer>(std::move(network),
                                                 object.at("least_confidence").get<float>());
    } catch (const nlohmann::json::exception&) {
        throw Error(where + "is not what Earshot writes; train the model again, or remove this entry");
    } catch (const Error& error) {
        throw Error(where + error.what());
    }
}

std::string BoxScorer::metadata() const {
    nlohmann::ordered_json object;
    object["mean"] = network_.mean;
    object["scale"] = network_.scale;
    object["hidden_weights"] = network_.hiddenWeights;
    object["hidden_biases"] = network_.hiddenBiases;
    object["output_weights"] = network_.outputWeights;
    object["output_bias"] = network_.outputBias;
    object["class_biases"] = network_.classBiases;
    object["least_confidence"] = leastConfidence_;
    return object.dump();
}

float BoxScorer::confidence(const BoxFeatures& features, int classIndex) const {
    BoxFeatures input;
    for (std::size_t i = 0; i < boxFeatureCount; ++i)
        input[i] = (features[i] - network_.mean[i]) / network_.scale[i];
    float logit = network_.outputBias + network_.classBiases[static_cast<std::size_t>(classIndex)];
    for (std::size_t h = 0; h < network_.hiddenWeights.size(); ++h) {
        float sum = network_.hiddenBiases[h];
        for (std::size_t i = 0; i < boxFeatureCount; ++i) sum += network_.hiddenWeights[h][i] * input[i];
        logit += network_.outputWeights[h] * std::tanh(sum);
    }
    return 1.0f / (1.0f + std::exp(-logit));
}

} // namespace earshot::detection
