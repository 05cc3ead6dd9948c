#include "Core/Model/Network/EventHead.h"

#include "Core/Tensor/Kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace earshot::model {

namespace {

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

} // namespace

int EventHead::frequencyRows(const Config& config) {
    return config.stageGrid(config.stageCount() - 1) / config.timeSegments();
}

tensor::Tensor EventHead::arrangeKernel(const Config& config, const tensor::Tensor& kernel) {
    const int channels = config.latentDim();
    const int positions = frequencyRows(config) * kernelWidth;
    tensor::Tensor arranged({config.classes, positions, channels});
    for (int c = 0; c < config.classes; ++c)
        for (int channel = 0; channel < channels; ++channel)
            for (int position = 0; position < positions; ++position) {
                const auto row = static_cast<std::int64_t>(c);
                arranged.data()[(row * positions + position) * channels + channel] =
                    kernel.data()[(row * channels + channel) * positions + position];
            }
    return arranged;
}

EventHead::EventHead(const NetworkWeights& weights, const Config& config, const float* tokens, float* scratch)
    : config_(config)
    , gridTokens_(tokens)
    , number_(weights.head.numbers().operands)
    , inputs_(static_cast<std::size_t>(weights.head.rows() * weights.head.inputs()) * bytesOf(number_))
    , rowLength_(weights.head.inputs())
    , logits_({weights.head.rows(), weights.head.outputs()})
    , tokens_({config.tokensPerWindow(), config.classes})
    , clipwise_({config.classes})
    , latent_({config.latentDim()})
    , sums_({config.latentDim()})
    , head_(weights.head, inputs_.data(), logits_.data(), scratch) {}

const float* EventHead::token(int time, int frequencyRow) const {
    const int grid = config_.stageGrid(config_.stageCount() - 1);
    const int row = time / grid * frequencyRows(config_) + frequencyRow;
    return gridTokens_ + static_cast<std::ptrdiff_t>(row * grid + time % grid) * config_.latentDim();
}

void EventHead::setInputs(std::int64_t row, std::int64_t channel, const float* values) {
    const int channels = config_.latentDim();
    std::byte* const out =
        inputs_.data() + static_cast<std::size_t>(row * rowLength_ + channel) * bytesOf(number_);
    if (number_ == tensor::Number::bfloat16)
        tensor::optimiserKernels().roundToBFloat16(values, reinterpret_cast<tensor::BFloat16*>(out),
                                                   channels);
    else
        std::memcpy(out, values, static_cast<std::size_t>(channels) * sizeof(float));
}

void EventHead::gatherNeighbours() {
    // The inputs for neighbours before the first token and after the last stay 0: nothing writes them.
    const int steps = config_.tokensPerWindow();
    for (int time = 0; time < steps; ++time)
        for (int row = 0; row < frequencyRows(config_); ++row)
            for (int tap = 0; tap < kernelWidth; ++tap) {
                const int neighbour = time + tap - kernelWidth / 2;
                if (neighbour >= 0 && neighbour < steps)
                    setInputs(time, (row * kernelWidth + tap) * config_.latentDim(), token(neighbour, row));
            }
}

void EventHead::sumFrequencyRows() {
    const int channels = config_.latentDim();
    const int steps = config_.tokensPerWindow();
    for (int time = 0; time < steps; ++time) {
        std::copy_n(token(time, 0), channels, sums_.data());
        for (int row = 1; row < frequencyRows(config_); ++row) {
            const float* source = token(time, row);
            for (int c = 0; c < channels; ++c) sums_.data()[c] += source[c];
        }
        setInputs(time, 0, sums_.data());
    }
    setInputs(steps, 0, latent_.data()); // the clip's row
}

void EventHead::averageTokens() {
    const int grid = config_.stageGrid(config_.stageCount() - 1);
    const int channels = config_.latentDim();
    std::fill_n(latent_.data(), channels, 0.0f);
    for (int t = 0; t < grid * grid; ++t)
        for (int c = 0; c < channels; ++c) latent_.data()[c] += gridTokens_[t * channels + c];
    for (int c = 0; c < channels; ++c) latent_.data()[c] /= static_cast<float>(grid * grid);
}

void EventHead::run() {
    averageTokens();
    if (config_.tscam)
        gatherNeighbours();
    else
        sumFrequencyRows();
    head_.run();

    const int steps = config_.tokensPerWindow();
    const int classes = config_.classes;
    std::transform(logits_.data(), logits_.data() + tokens_.size(), tokens_.data(), sigmoid);
    for (int c = 0; c < classes; ++c) {
        float clipLogit = 0.0f;
        if (config_.tscam) {
            for (int t = 0; t < steps; ++t) clipLogit += logits_.data()[t * classes + c];
            clipLogit /= static_cast<float>(steps);
        } else {
            clipLogit = logits_.data()[steps * classes + c];
        }
        clipwise_.data()[c] = sigmoid(clipLogit);
    }
}

} // namespace earshot::model
