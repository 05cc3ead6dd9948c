#include "Core/Training/Network/TrainedMerging.h"

#include "Core/Model/Network/NetworkWeights.h"

#include <algorithm>

namespace earshot::training {

using tensor::kernels;

template <typename Value>
TrainedMerging<Value>::TrainedMerging(const ParameterLayout& parameters, int stage,
                                      const StageGeometry& geometry)
    : gain_(parameters.find(model::MergingForm(stage).norm + ".weight"))
    , shift_(parameters.find(model::MergingForm(stage).norm + ".bias"))
    , reduction_(parameters.find(model::MergingForm(stage).reduction + ".weight"))
    , isV1_(parameters.config().block == model::BlockKind::v1)
    , rows_(geometry.tokens() / 4)
    , channels_(parameters.config().stageDim(stage))
    , layer_(rows_, 4 * channels_, 2 * channels_, false, tensor::Number::float32) {
    const int grid = geometry.grid();
    for (int sample = 0; sample < geometry.samples(); ++sample)
        for (int row = 0; row < grid; row += 2)
            for (int column = 0; column < grid; column += 2)
                for (int part = 0; part < 4; ++part) {
                    const int down = part % 2, right = part / 2;
                    parts_.push_back((sample * grid + row + down) * grid + column + right);
                }
    const auto rows = static_cast<std::size_t>(rows_);
    const auto wide = rows * 4 * static_cast<std::size_t>(channels_);
    unnormed_.resize(isV1_ ? wide : wide / 2);
    unnormedGradient_.resize(unnormed_.size());
    statistics_.resize(2 * rows);
    inputs_.resize(wide);
    inputGradient_.resize(wide);
    resultGradient_.resize(wide / 2);
}

template <typename Value>
void TrainedMerging<Value>::forward(const float* input, float* output) {
    const auto normalise = [this](const auto& loops, auto* result, std::int64_t channels) {
        loops.layerNorm(unnormed_.data(), nullptr, result, statistics_.data(), rows_, channels,
                        values_.exact + gain_.offset, values_.exact + shift_.offset,
                        model::LayerNormWeights::epsilon);
    };
    const Value* const weights = values_.rounded + reduction_.offset;
    if (isV1_) {
        kernels<float>().gather(input, parts_.data(), unnormed_.data(), 1.0f, 4 * rows_, channels_);
        normalise(kernels<Value>(), inputs_.data(), 4 * channels_);
        layer_.forward(inputs_.data(), weights, nullptr, output);
    } else {
        kernels<Value>().gather(input, parts_.data(), inputs_.data(), 1.0f, 4 * rows_, channels_);
        layer_.forward(inputs_.data(), weights, nullptr, unnormed_.data());
        normalise(kernels<float>(), output, 2 * channels_);
    }
}

template <typename Value>
void TrainedMerging<Value>::backward(const float* outputGradient, float* inputGradient,
                                     std::span<float> gradients) {
    const auto normaliseBackward = [&](const auto& loops, const auto* gradient, std::int64_t channels) {
        std::ranges::fill(unnormedGradient_, 0.0f);
        loops.layerNormBackward(unnormed_.data(), nullptr, statistics_.data(), gradient,
                                unnormedGradient_.data(), rows_, channels, values_.exact + gain_.offset,
                                gradients.data() + gain_.offset, gradients.data() + shift_.offset);
    };
    const float* resultGradient = outputGradient;
    if (!isV1_) {
        normaliseBackward(kernels<float>(), outputGradient, 2 * channels_);
        resultGradient = unnormedGradient_.data();
    }
    kernels<Value>().gather(resultGradient, nullptr, resultGradient_.data(), 1.0f, rows_, 2 * channels_);
    layer_.parameterGradients(inputs_.data(), resultGradient_.data(), gradients.data() + reduction_.offset,
                              nullptr);
    layer_.inputGradient(resultGradient_.data(), values_.rounded + reduction_.offset, inputGradient_.data());
    if (isV1_) normaliseBackward(kernels<Value>(), inputGradient_.data(), 4 * channels_);
    if (inputGradient == nullptr) return;
    std::fill_n(inputGradient, 4 * rows_ * channels_, 0.0f);
    if (isV1_)
        kernels<float>().scatterAdd(inputGradient, parts_.data(), unnormedGradient_.data(), 1.0f, 4 * rows_,
                                    channels_);
    else
        kernels<Value>().scatterAdd(inputGradient, parts_.data(), inputGradient_.data(), 1.0f, 4 * rows_,
                                    channels_);
}

template class TrainedMerging<float>;
template class TrainedMerging<tensor::BFloat16>;

} // namespace earshot::training
