#include "Core/Model/Network/ClapProjection.h"

#include "Core/Model/Network/LayerNorm.h"
#include "Core/Model/Precision/ActivationRanges.h"
#include "Core/Model/Weights.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

namespace earshot::model {

namespace {

float gelu(float x) { return 0.5f * x * (1.0f + std::erf(x / std::numbers::sqrt2_v<float>)); }

} // namespace

ClapProjection::ClapProjection(const std::shared_ptr<const Weights>& weights)
    : ClapProjection(std::shared_ptr<const ClapProjectionWeights>(weights, weights->projection())) {}

ClapProjection::ClapProjection(std::shared_ptr<const ClapProjectionWeights> weights)
    : weights_(std::move(weights))
    , input_(static_cast<std::size_t>(weights_->first.inputs()))
    , hidden_(static_cast<std::size_t>(weights_->dimensions()))
    , output_(static_cast<std::size_t>(weights_->dimensions()))
    , scratch_(std::max(weights_->first.scratchBytes(), weights_->second.scratchBytes()) / sizeof(float) + 1)
    , first_(weights_->first, input_.data(), weights_->norm ? output_.data() : hidden_.data(),
             scratch_.data())
    , second_(weights_->second, hidden_.data(), output_.data(), scratch_.data()) {}

std::span<const float> ClapProjection::run(std::span<const float> input) {
    assert(input.size() == input_.size());
    std::ranges::copy(input, input_.begin());
    first_.run();
    if (weights_->norm) {
        std::ranges::transform(output_, hidden_.begin(), gelu);
        second_.run(); // adds to the first layer's output
        layerNormHere(*weights_->norm, output_.data(), output_.data(), tensor::Number::float32, 1);
    } else {
        std::ranges::transform(hidden_, hidden_.begin(), [](float x) { return std::max(x, 0.0f); });
        second_.run();
        normaliseLength(output_);
    }
    requireNumbers(output_);
    return output_;
}

void normaliseLength(std::span<float> vector) {
    double sum = 0.0;
    for (const float value : vector) sum += static_cast<double>(value) * value;
    if (!(sum > 0.0)) return;
    const auto factor = static_cast<float>(1.0 / std::sqrt(sum));
    for (float& value : vector) value *= factor;
}

} // namespace earshot::model
