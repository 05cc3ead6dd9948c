#include "Core/Training/Network/TrainedScores.h"

#include "Core/Tensor/Kernels.h"

#include <algorithm>
#include <cmath>

namespace earshot::training {

using tensor::BFloat16;
using tensor::kernels;

namespace {

const float maxLogScale = std::log(100.0f);

} // namespace

template <typename Value>
struct TrainedScores<Value>::Columns {
    bool areQueries;
    std::size_t head;
    std::ptrdiff_t first; // value of the first row
    std::size_t firstFactor;
};

template <typename Value>
TrainedScores<Value>::TrainedScores(const ParameterLayout& parameters, int stage, int index,
                                    std::int64_t tokens)
    : tokens_(tokens)
    , channels_(parameters.config().stageDim(stage))
    , headDim_(channels_ / parameters.config().heads[static_cast<std::size_t>(stage)])
    , scale_(parameters.config().block == model::BlockKind::v1
                 ? 1.0f / std::sqrt(static_cast<float>(headDim_))
                 : 1.0f) {
    if (parameters.config().block == model::BlockKind::v1) return;
    logScale_ = &parameters.find(model::BlockForm(stage, index).scoreScale);
    scales_.resize(logScale_->size);
    factors_.resize(2 * scales_.size() * static_cast<std::size_t>(tokens));
}

template <typename Value>
void TrainedScores<Value>::setParameters(const float* values) {
    if (logScale_ == nullptr) return;
    logScales_ = values + logScale_->offset;
    for (std::size_t head = 0; head < scales_.size(); ++head)
        scales_[head] = std::exp(std::min(logScales_[head], maxLogScale));
}

template <typename Value>
template <typename Visitor>
void TrainedScores<Value>::forEachColumns(const Visitor& visit) const {
    std::size_t place = 0;
    for (const std::ptrdiff_t part : {0, 1})
        for (std::size_t head = 0; head < scales_.size(); ++head, ++place)
            visit(Columns{part == 0, head, part * channels_ + static_cast<std::ptrdiff_t>(head) * headDim_,
                          place * static_cast<std::size_t>(tokens_)});
}

template <typename Value>
void TrainedScores<Value>::prepare(Value* qkv) {
    forEachColumns([&](const Columns& columns) {
        kernels<Value>().normaliseRows(
            qkv + columns.first, nullptr, columns.areQueries ? scales_[columns.head] : 1.0f,
            factors_.data() + columns.firstFactor, tokens_, 3 * channels_, headDim_);
    });
}

template <typename Value>
void TrainedScores<Value>::backward(const Value* qkv, Value* qkvGradient, float* gradients) const {
    forEachColumns([&](const Columns& columns) {
        const double slope = kernels<Value>().normaliseRowsBackward(
            qkv + columns.first, qkvGradient + columns.first,
            columns.areQueries ? scales_[columns.head] : 1.0f, factors_.data() + columns.firstFactor, tokens_,
            3 * channels_, headDim_);
        if (columns.areQueries && logScales_[columns.head] <= maxLogScale)
            gradients[logScale_->offset + columns.head] += static_cast<float>(slope);
    });
}

template class TrainedScores<float>;
template class TrainedScores<BFloat16>;

} // namespace earshot::training
