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

WindowAttention::WindowAttention(const WindowLayout& layout, int channels, int heads, tensor::Number number)
    : layout_(layout)
    , channels_(channels)
    , heads_(heads)
    , headDim_(channels / heads)
    , number_(number)
    , scale_(scoreScale(headDim_))
    , scratchPerThread_(tensor::wholeLines(tensor::attentionScratch(layout.tokensPerWindow(), headDim_))) {}

void WindowAttention::run(const void* qkv, const tensor::Tensor& positionBias, void* output) {
    const auto scratchNeeded = static_cast<std::size_t>(tensor::threadCount()) * scratchPerThread_;
    if (scratch_.size() < scratchNeeded)
        scratch_ = tensor::Tensor({static_cast<std::int64_t>(scratchNeeded)});
    if (number_ == tensor::Number::bfloat16)
        attend(static_cast<const tensor::BFloat16*>(qkv), positionBias.data(),
               static_cast<tensor::BFloat16*>(output));
    else
        attend(static_cast<const float*>(qkv), positionBias.data(), static_cast<float*>(output));
}

// Threads share out heads of windows: the last stage has one window only.
template <typename Value>
void WindowAttention::attend(const Value* qkv, const float* positionBias, Value* output) {
    const int tokens = layout_.tokensPerWindow();
    const auto& attendOne = tensor::kernels<Value>().attendOne;
    tensor::parallelFor(layout_.windowCount() * heads_, [&](std::int64_t index, int thread) {
        const int window = static_cast<int>(index) / heads_;
        tensor::AttentionTask<Value> task;
        task.qkv = qkv;
        task.output = output;
        task.rows = layout_.rows(window).data();
        task.bias = positionBias;
        task.biasStride = tensor::paddedWindow(tokens);
        task.mask = layout_.mask(window);
        task.scratch = scratchOf(thread);
        task.tokens = tokens;
        task.channels = channels_;
        task.heads = heads_;
        task.scale = scale_;
        attendOne(task, static_cast<int>(index) % heads_);
    });
}

WindowLayout::WindowLayout(int window)
    : window_(window)
    , tokens_(window * window) {}

WindowLayout::WindowLayout(int grid, int window, int shift)
    : WindowLayout(window) {
    assert(grid % window == 0 && shift >= 0 && shift < window);
    const int side = grid / window;
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column)
            add({grid, grid, row, column, shift, shift, row == side - 1, column == side - 1});
    if (shift > 0) makeMasks(shift);
}

WindowLayout WindowLayout::columnStrip(int grid, int window, int shift, bool edge) {
    assert(grid % window == 0 && shift >= 0 && shift < window);
    const int side = grid / window;
    WindowLayout layout(window);
    for (int row = 0; row < side; ++row) layout.add({grid, window, row, 0, shift, 0, row == side - 1, edge});
    if (shift > 0) layout.makeMasks(shift);
    return layout;
}

WindowLayout WindowLayout::rowStrip(int grid, int window, int shift, bool edge) {
    assert(grid % window == 0 && shift >= 0 && shift < window);
    const int side = grid / window;
    WindowLayout layout(window);
    for (int column = 0; column < side; ++column)
        layout.add({window, grid, 0, column, 0, shift, edge, column == side - 1});
    if (shift > 0) layout.makeMasks(shift);
    return layout;
}

void WindowLayout::add(const Place& place) {
    for (int token = 0; token < tokens_; ++token) {
        const int row = (place.row * window_ + token / window_ + place.rowShift) % place.rows;
        const int column = (place.column * window_ + token % window_ + place.columnShift) % place.columns;
        rows_.push_back(row * place.columns + column);
    }
    const bool isShifted = place.rowShift > 0 || place.columnShift > 0;
    const int kind = (place.bottom ? bottomEdge : 0) | (place.right ? rightEdge : 0);
    maskKind_.push_back(static_cast<std::uint8_t>(isShifted ? kind : 0));
    ++windowCount_;
}

void WindowLayout::makeMasks(int shift) {
    // In a window at the edge, tokens past the cut came around from the other side of the grid.
    const int padded = tensor::paddedWindow(tokens_);
    const int cut = window_ - shift;
    masks_ = tensor::Tensor({3, tokens_, padded});
    for (int kind = bottomEdge; kind <= (bottomEdge | rightEdge); ++kind)
        for (int query = 0; query < tokens_; ++query)
            for (int key = 0; key < tokens_; ++key) {
                const bool rowsApart = (query / window_ < cut) != (key / window_ < cut);
                const bool columnsApart = (query % window_ < cut) != (key % window_ < cut);
                const bool apart = ((kind & bottomEdge) && rowsApart) || ((kind & rightEdge) && columnsApart);
                masks_.data()[((kind - 1) * tokens_ + query) * padded + key] = apart ? maskedScore : 0.0f;
            }
}

std::span<const std::int32_t> WindowLayout::rows(int window) const {
    return {rows_.data() + static_cast<std::ptrdiff_t>(window) * tokens_, static_cast<std::size_t>(tokens_)};
}

const float* WindowLayout::mask(int window) const {
    const int kind = maskKind_[static_cast<std::size_t>(window)];
    if (kind == 0) return nullptr;
    return masks_.data() + static_cast<std::ptrdiff_t>(kind - 1) * tokens_ * tensor::paddedWindow(tokens_);
}

} // namespace earshot::model
