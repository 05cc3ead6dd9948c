#include "Core/Model/Network/FineHead.h"

#include "Core/Model/Network/LayerInputs.h"
#include "Core/Model/Network/LayerNorm.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace earshot::model {

namespace {

using tensor::Number;

constexpr std::int64_t columnsPerTask = 8; // of a stage, for one thread at a time

std::size_t bytesFor(std::int64_t count, Number number) {
    return static_cast<std::size_t>(count) * bytesOf(number);
}

} // namespace

FineHead::FineHead(const NetworkWeights& weights, const Config& config, std::span<const float* const> stages,
                   float* scratch)
    : Head(config, stages.back(), config.stepsPerWindow())
    , weights_(weights.fineHead.value())
    , number_(weights.head.numbers().operands)
    , x_({config.stepsPerWindow(), config.headWidth})
    , normed_(bytesFor(x_.size(), number_))
    , windows_(bytesFor(x_.size() * kernelWidth, number_))
    , classes_(weights.head, normed_.data(), logits_.data(), scratch) {
    const auto numbers = headStages(config);
    assert(numbers.size() == stages.size());
    sources_.reserve(stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i)
        sources_.push_back(sourceOf(weights_.sources[i], numbers[i], stages[i], scratch));
    for (const auto& layer : weights_.layers)
        convolutions_.emplace_back(layer.convolution, windows_.data(), x_.data(), scratch);
}

FineHead::Source FineHead::sourceOf(const FineHeadWeights::Source& weights, int stage, const float* tokens,
                                    float* scratch) {
    const std::int64_t columns = config_.gridColumns(stage);
    tensor::AlignedVector<std::byte> inputs(bytesFor(columns * weights.projection.inputs(), number_));
    const bool isFirst = sources_.empty(); // it has a column for each step
    tensor::Tensor projected;
    if (!isFirst) projected = tensor::Tensor({columns, config_.headWidth});
    tensor::LinearCall project(weights.projection, inputs.data(), isFirst ? x_.data() : projected.data(),
                               scratch);
    return {weights, stage, tokens, std::move(inputs), std::move(projected), std::move(project)};
}

void FineHead::gather(Source& source) {
    const std::int64_t channels = config_.stageDim(source.stage);
    const int rows = frequencyRows(config_, source.stage);
    const std::int64_t columns = config_.gridColumns(source.stage);
    tensor::parallelFor((columns + columnsPerTask - 1) / columnsPerTask, [&](std::int64_t task, int) {
        const auto end = std::min(columns, (task + 1) * columnsPerTask);
        for (auto column = task * columnsPerTask; column < end; ++column)
            for (int row = 0; row < rows; ++row) {
                const float* const token =
                    source.tokens +
                    tokenIndex(config_, source.stage, static_cast<int>(column), row) * channels;
                std::byte* const out =
                    source.inputs.data() + bytesFor((column * rows + row) * channels, number_);
                if (source.weights.norm)
                    layerNormHere(*source.weights.norm, token, out, number_, 1);
                else
                    setInputs(token, out, number_, channels);
            }
    });
}

void FineHead::addRepeated(const Source& source) {
    const std::int64_t columns = config_.gridColumns(source.stage), width = config_.headWidth;
    const std::int64_t steps = config_.stepsPerWindow(), repeats = steps / columns;
    for (std::int64_t step = 0; step < steps; ++step) {
        const float* const from = source.projected.data() + step / repeats * width;
        float* const to = x_.data() + step * width;
        for (std::int64_t c = 0; c < width; ++c) to[c] += from[c];
    }
}

void FineHead::mix(std::size_t layer) {
    const std::int64_t steps = config_.stepsPerWindow();
    layerNorm(weights_.layers[layer].norm, x_.data(), normed_.data(), number_, steps);
    geluInPlace(normed_.data(), number_, x_.size());
    // Steps before the first and after the last stay 0 in the windows: nothing writes them.
    const std::size_t length = bytesFor(config_.headWidth, number_);
    for (std::int64_t step = 0; step < steps; ++step)
        for (int tap = 0; tap < kernelWidth; ++tap) {
            const std::int64_t from = step + tap - kernelWidth / 2;
            if (from < 0 || from >= steps) continue;
            std::memcpy(windows_.data() + static_cast<std::size_t>(step * kernelWidth + tap) * length,
                        normed_.data() + static_cast<std::size_t>(from) * length, length);
        }
    convolutions_[layer].run();
}

void FineHead::computeLogits() {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        gather(sources_[i]);
        sources_[i].project.run();
        if (i > 0) addRepeated(sources_[i]);
    }
    for (std::size_t layer = 0; layer < convolutions_.size(); ++layer) mix(layer);
    layerNorm(weights_.norm, x_.data(), normed_.data(), number_, config_.stepsPerWindow());
    classes_.run();
}

void FineHead::classInputs(std::span<float> inputs) const { getInputs(normed_.data(), number_, inputs); }

} // namespace earshot::model
