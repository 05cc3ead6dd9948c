#include "Core/Model/Network/WindowAttention.h"

#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Threads.h"

#include <cassert>
#include <cmath>

namespace earshot::model {

namespace {

float scoreScale(int headDim) { return 1.0f / std::sqrt(static_cast<float>(headDim)); }

constexpr float maskedScore = -100.0f;
constexpr int bottomEdge = 1;
constexpr int rightEdge = 2;

} // namespace

WindowAttention::WindowAttention(const AttentionLayout& layout, int channels, int heads,
                                 tensor::Number number)
    : layout_(layout)
    , channels_(channels)
    , heads_(heads)
    , headDim_(channels / heads)
    , number_(number)
    , scale_(scoreScale(headDim_))
    , scratchPerThread_(tensor::wholeLines(tensor::attentionScratch(layout.tokens(), headDim_))) {}

void WindowAttention::run(void* qkv, const tensor::Tensor& positionBias, const tensor::Tensor& scoreScale,
                          void* output) {
    const auto scratchNeeded = static_cast<std::size_t>(tensor::threadCount()) * scratchPerThread_;
    if (scratch_.size() < scratchNeeded)
        scratch_ = tensor::Tensor({static_cast<std::int64_t>(scratchNeeded)});
    const float* const scales = scoreScale.empty() ? nullptr : scoreScale.data();
    if (number_ == tensor::Number::bfloat16)
        attend(static_cast<tensor::BFloat16*>(qkv), positionBias.data(), scales,
               static_cast<tensor::BFloat16*>(output));
    else
        attend(static_cast<float*>(qkv), positionBias.data(), scales, static_cast<float*>(output));
}

// One task is one head of one attention window, because the last stage has only one attention window. Each
// normalises its own queries and keys, so that they are in the nearest cache when they are multiplied.
template <typename Value>
void WindowAttention::attend(Value* qkv, const float* positionBias, const float* scoreScale, Value* output) {
    const int tokens = layout_.tokens();
    const auto& kernels = tensor::kernels<Value>();
    tensor::parallelFor(layout_.count() * heads_, [&](std::int64_t index, int thread) {
        const int place = static_cast<int>(index) / heads_, head = static_cast<int>(index) % heads_;
        tensor::AttentionTask<Value> task;
        task.qkv = qkv;
        task.output = output;
        task.rows = layout_.rows(place).data();
        task.bias = positionBias;
        task.biasStride = tensor::paddedTokens(tokens);
        task.mask = layout_.mask(place);
        task.scratch = scratchOf(thread);
        task.tokens = tokens;
        task.channels = channels_;
        task.heads = heads_;
        task.scale = scoreScale == nullptr ? scale_ : scoreScale[head];
        if (scoreScale != nullptr)
            for (const int part : {0, 1}) // queries, keys
                kernels.normaliseRows(qkv + part * channels_ + head * headDim_, task.rows, 1.0f, nullptr,
                                      tokens, 3 * channels_, headDim_);
        kernels.attendOne(task, head);
    });
}

AttentionLayout::AttentionLayout(int side)
    : side_(side)
    , tokens_(side * side) {}

AttentionLayout::AttentionLayout(int grid, int side, int shift)
    : AttentionLayout(side) {
    assert(grid % side == 0 && shift >= 0 && shift < side);
    const int perSide = grid / side;
    for (int row = 0; row < perSide; ++row)
        for (int column = 0; column < perSide; ++column)
            add({grid, grid, row, column, shift, shift, row == perSide - 1, column == perSide - 1});
    if (shift > 0) makeMasks(shift);
}

AttentionLayout AttentionLayout::columnStrip(int grid, int side, int shift, bool edge) {
    assert(grid % side == 0 && shift >= 0 && shift < side);
    const int perSide = grid / side;
    AttentionLayout layout(side);
    for (int row = 0; row < perSide; ++row)
        layout.add({grid, side, row, 0, shift, 0, row == perSide - 1, edge});
    if (shift > 0) layout.makeMasks(shift);
    return layout;
}

AttentionLayout AttentionLayout::rowStrip(int grid, int side, int shift, bool edge) {
    assert(grid % side == 0 && shift >= 0 && shift < side);
    const int perSide = grid / side;
    AttentionLayout layout(side);
    for (int column = 0; column < perSide; ++column)
        layout.add({side, grid, 0, column, 0, shift, edge, column == perSide - 1});
    if (shift > 0) layout.makeMasks(shift);
    return layout;
}

void AttentionLayout::add(const Place& place) {
    for (int token = 0; token < tokens_; ++token) {
        const int row = (place.row * side_ + token / side_ + place.rowShift) % place.rows;
        const int column = (place.column * side_ + token % side_ + place.columnShift) % place.columns;
        rows_.push_back(row * place.columns + column);
    }
    const bool isShifted = place.rowShift > 0 || place.columnShift > 0;
    const int kind = (place.bottom ? bottomEdge : 0) | (place.right ? rightEdge : 0);
    maskKind_.push_back(static_cast<std::uint8_t>(isShifted ? kind : 0));
    ++count_;
}

void AttentionLayout::makeMasks(int shift) {
    // In an attention window at the edge, tokens past the cut come from the opposite side of the grid.
    const int padded = tensor::paddedTokens(tokens_);
    const int cut = side_ - shift;
    masks_ = tensor::Tensor({3, tokens_, padded});
    for (int kind = bottomEdge; kind <= (bottomEdge | rightEdge); ++kind)
        for (int query = 0; query < tokens_; ++query)
            for (int key = 0; key < tokens_; ++key) {
                const bool rowsApart = (query / side_ < cut) != (key / side_ < cut);
                const bool columnsApart = (query % side_ < cut) != (key % side_ < cut);
                const bool apart = ((kind & bottomEdge) && rowsApart) || ((kind & rightEdge) && columnsApart);
                masks_.data()[((kind - 1) * tokens_ + query) * padded + key] = apart ? maskedScore : 0.0f;
            }
}

std::span<const std::int32_t> AttentionLayout::rows(int index) const {
    return {rows_.data() + static_cast<std::ptrdiff_t>(index) * tokens_, static_cast<std::size_t>(tokens_)};
}

const float* AttentionLayout::mask(int index) const {
    const int kind = maskKind_[static_cast<std::size_t>(index)];
    if (kind == 0) return nullptr;
    return masks_.data() + static_cast<std::ptrdiff_t>(kind - 1) * tokens_ * tensor::paddedTokens(tokens_);
}

} // namespace earshot::model
