#include "Core/Model/Network/Head.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::model {

namespace {

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

} // namespace

std::vector<int> headStages(const Config& config) {
    std::vector<int> stages;
    for (int stage = config.head == HeadKind::fine ? 1 : config.stageCount() - 1; stage < config.stageCount();
         ++stage)
        stages.push_back(stage);
    return stages;
}

int frequencyRows(const Config& config, int stage) { return config.stageGrid(stage) / config.timeSegments(); }

int tokenIndex(const Config& config, int stage, int column, int frequencyRow) {
    const int grid = config.stageGrid(stage);
    const int row = column / grid * frequencyRows(config, stage) + frequencyRow;
    return row * grid + column % grid;
}

Head::Head(const Config& config, const float* tokens, std::int64_t rows)
    : config_(config)
    , gridTokens_(tokens)
    , logits_({rows, config.classes})
    , tokens_({config.stepsPerWindow(), config.classes})
    , clipwise_({config.classes})
    , latent_({config.latentDim()}) {}

void Head::averageTokens() {
    const int grid = config_.stageGrid(config_.stageCount() - 1);
    const int channels = config_.latentDim();
    std::fill_n(latent_.data(), channels, 0.0f);
    for (int t = 0; t < grid * grid; ++t)
        for (int c = 0; c < channels; ++c) latent_.data()[c] += gridTokens_[t * channels + c];
    for (int c = 0; c < channels; ++c) latent_.data()[c] /= static_cast<float>(grid * grid);
}

void Head::frameTokens(std::span<float> frames) const {
    const int last = config_.stageCount() - 1;
    const int rows = frequencyRows(config_, last);
    const auto channels = static_cast<std::size_t>(config_.latentDim());
    assert(frames.size() == static_cast<std::size_t>(config_.gridColumns()) * channels);
    for (int column = 0; column < config_.gridColumns(); ++column) {
        const auto mean = frames.subspan(static_cast<std::size_t>(column) * channels, channels);
        std::ranges::fill(mean, 0.0f);
        for (int row = 0; row < rows; ++row) {
            const float* token =
                gridTokens_ + static_cast<std::size_t>(tokenIndex(config_, last, column, row)) * channels;
            for (std::size_t c = 0; c < channels; ++c) mean[c] += token[c] / static_cast<float>(rows);
        }
    }
}

void Head::run() {
    averageTokens();
    computeLogits();

    const int steps = config_.stepsPerWindow();
    const int classes = config_.classes;
    const bool hasClipRow = logits_.shape()[0] > steps;
    std::transform(logits_.data(), logits_.data() + tokens_.size(), tokens_.data(), sigmoid);
    for (int c = 0; c < classes; ++c) {
        float clipLogit = 0.0f;
        if (hasClipRow) {
            clipLogit = logits_.data()[steps * classes + c];
        } else {
            for (int t = 0; t < steps; ++t) clipLogit += logits_.data()[t * classes + c];
            clipLogit /= static_cast<float>(steps);
        }
        clipwise_.data()[c] = sigmoid(clipLogit);
    }
}

} // namespace earshot::model
