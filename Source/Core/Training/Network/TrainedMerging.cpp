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
    gathered_.resize(wide);
    gatheredGradient_.resize(wide);
    statistics_.resize(2 * rows);
    normed_.resize(wide);
    normedGradient_.resize(wide);
    outputGradient_.resize(wide / 2);
}

template <typename Value>
void TrainedMerging<Value>::forward(const float* input, float* output) {
    kernels<float>().gather(input, parts_.data(), gathered_.data(), 1.0f, 4 * rows_, channels_);
    kernels<Value>().layerNorm(gathered_.data(), nullptr, normed_.data(), statistics_.data(), rows_,
                               4 * channels_, values_.exact + gain_.offset, values_.exact + shift_.offset,
                               model::LayerNormWeights::epsilon);
    layer_.forward(normed_.data(), values_.rounded + reduction_.offset, nullptr, output);
}

template <typename Value>
void TrainedMerging<Value>::backward(const float* outputGradient, float* inputGradient,
                                     std::span<float> gradients) {
    const auto& loops = kernels<Value>();
    loops.gather(outputGradient, nullptr, outputGradient_.data(), 1.0f, rows_, 2 * channels_);
    layer_.parameterGradients(normed_.data(), outputGradient_.data(), gradients.data() + reduction_.offset,
                              nullptr);
    layer_.inputGradient(outputGradient_.data(), values_.rounded + reduction_.offset, normedGradient_.data());
    std::fill(gatheredGradient_.begin(), gatheredGradient_.end(), 0.0f);
    loops.layerNormBackward(gathered_.data(), nullptr, statistics_.data(), normedGradient_.data(),
                            gatheredGradient_.data(), rows_, 4 * channels_, values_.exact + gain_.offset,
                            gradients.data() + gain_.offset, gradients.data() + shift_.offset);
    if (inputGradient == nullptr) return;
    std::fill_n(inputGradient, 4 * rows_ * channels_, 0.0f);
    kernels<float>().scatterAdd(inputGradient, parts_.data(), gatheredGradient_.data(), 1.0f, 4 * rows_,
                                channels_);
}

template class TrainedMerging<float>;
template class TrainedMerging<tensor::BFloat16>;

} // namespace earshot::training
