#include "Core/Model/Network/EventHead.h"

#include "Core/Model/Network/LayerInputs.h"

#include <algorithm>

namespace earshot::model {

tensor::Tensor EventHead::arrangeKernel(const Config& config, const tensor::Tensor& kernel) {
    const int channels = config.latentDim();
    const int positions = frequencyRows(config, config.stageCount() - 1) * kernelWidth;
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
    : Head(config, tokens, weights.head.rows())
    , last_(config.stageCount() - 1)
    , number_(weights.head.numbers().operands)
    , inputs_(static_cast<std::size_t>(weights.head.rows() * weights.head.inputs()) * bytesOf(number_))
    , rowLength_(weights.head.inputs())
    , sums_({config.latentDim()})
    , head_(weights.head, inputs_.data(), logits_.data(), scratch) {}

const float* EventHead::token(int time, int frequencyRow) const {
    return gridTokens_ +
           static_cast<std::ptrdiff_t>(tokenIndex(config_, last_, time, frequencyRow)) * config_.latentDim();
}

void EventHead::setRow(std::int64_t row, std::int64_t channel, const float* values) {
    std::byte* const out =
        inputs_.data() + static_cast<std::size_t>(row * rowLength_ + channel) * bytesOf(number_);
    setInputs(values, out, number_, config_.latentDim());
}

void EventHead::gatherNeighbours() {
    // The inputs for neighbours before the first token and after the last stay 0: nothing writes them.
    const int steps = config_.stepsPerWindow();
    for (int time = 0; time < steps; ++time)
        for (int row = 0; row < frequencyRows(config_, last_); ++row)
            for (int tap = 0; tap < kernelWidth; ++tap) {
                const int neighbour = time + tap - kernelWidth / 2;
                if (neighbour >= 0 && neighbour < steps)
                    setRow(time, (row * kernelWidth + tap) * config_.latentDim(), token(neighbour, row));
            }
}

void EventHead::sumFrequencyRows() {
    const int channels = config_.latentDim();
    const int steps = config_.stepsPerWindow();
    for (int time = 0; time < steps; ++time) {
        std::copy_n(token(time, 0), channels, sums_.data());
        for (int row = 1; row < frequencyRows(config_, last_); ++row) {
            const float* source = token(time, row);
            for (int c = 0; c < channels; ++c) sums_.data()[c] += source[c];
        }
        setRow(time, 0, sums_.data());
    }
    setRow(steps, 0, latent().data()); // the clip's row
}

void EventHead::computeLogits() {
    if (config_.head == HeadKind::tscam)
        gatherNeighbours();
    else
        sumFrequencyRows();
    head_.run();
}

void EventHead::classInputs(std::span<float> inputs) const { getInputs(inputs_.data(), number_, inputs); }

} // namespace earshot::model
