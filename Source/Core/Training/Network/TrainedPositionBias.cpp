#include "Core/Training/Network/TrainedPositionBias.h"

#include <algorithm>

namespace earshot::training {

TrainedPositionBias::TrainedPositionBias(const ParameterLayout& parameters, int stage, int index)
    : heads_(static_cast<std::size_t>(parameters.config().heads[static_cast<std::size_t>(stage)]))
    , rows_(model::positionRows(parameters.config().stageAttentionSide(stage))) {
    const auto& config = parameters.config();
    const model::BlockForm form(stage, index);
    const int side = config.stageAttentionSide(stage);
    biases_.resize(heads_ * rows_.size());
    gradient_.resize(biases_.size());
    if (config.block == model::BlockKind::v1) {
        table_ = &parameters.find(form.positionTable);
        return;
    }
    form_ = {&parameters.find(form.biasHidden + ".weight"), &parameters.find(form.biasHidden + ".bias"),
             &parameters.find(form.biasResult + ".weight")};
    distances_ = model::logDistances(side, config.pretrainedSide(stage));
    computed_.resize(distances_.size() * distances_.size() * heads_);
    tableGradient_.resize(computed_.size());
}

void TrainedPositionBias::setParameters(const float* values) {
    values_ = values;
    if (!isV1()) network().run(distances_, computed_);
    spread(isV1() ? values + table_->offset : computed_.data());
}

model::BiasNetwork TrainedPositionBias::network() const {
    const auto valuesOf = [this](const Parameter* parameter) {
        return std::span(values_ + parameter->offset, parameter->size);
    };
    return {valuesOf(form_.hidden), valuesOf(form_.hiddenBias), valuesOf(form_.result)};
}

void TrainedPositionBias::spread(const float* table) {
    for (std::size_t head = 0; head < heads_; ++head)
        for (std::size_t pair = 0; pair < rows_.size(); ++pair)
            biases_[head * rows_.size() + pair] =
                table[static_cast<std::size_t>(rows_[pair]) * heads_ + head];
}

float* TrainedPositionBias::clearedGradient() {
    std::ranges::fill(gradient_, 0.0f);
    return gradient_.data();
}

void TrainedPositionBias::backward(float* gradients) {
    std::ranges::fill(tableGradient_, 0.0f);
    float* const table = isV1() ? gradients + table_->offset : tableGradient_.data();
    for (std::size_t head = 0; head < heads_; ++head)
        for (std::size_t pair = 0; pair < rows_.size(); ++pair)
            table[static_cast<std::size_t>(rows_[pair]) * heads_ + head] +=
                gradient_[head * rows_.size() + pair];
    if (!isV1()) networkBackward(gradients);
}

void TrainedPositionBias::networkBackward(float* gradients) {
    const auto network = this->network();
    const std::size_t width = network.hiddenBias.size();
    float* const hidden = gradients + form_.hidden->offset;
    float* const hiddenBias = gradients + form_.hiddenBias->offset;
    float* const result = gradients + form_.result->offset;
    std::vector<float> values(width), slopes(width);
    std::size_t entry = 0;
    for (const float row : distances_)
        for (const float column : distances_) {
            network.runHidden(row, column, values);
            std::ranges::fill(slopes, 0.0f);
            for (std::size_t head = 0; head < heads_; ++head, ++entry) {
                // the sigmoid's slope: y (1 - y / bound)
                const float bias = computed_[entry];
                const float slope = tableGradient_[entry] * bias * (1.0f - bias / model::BiasNetwork::bound);
                for (std::size_t i = 0; i < width; ++i) {
                    result[head * width + i] += slope * values[i];
                    slopes[i] += slope * network.result[head * width + i];
                }
            }
            for (std::size_t i = 0; i < width; ++i) {
                const float slope = values[i] > 0.0f ? slopes[i] : 0.0f;
                hidden[2 * i] += slope * row;
                hidden[2 * i + 1] += slope * column;
                hiddenBias[i] += slope;
            }
        }
}

} // namespace earshot::training
