#include "Core/Model/WindowAttention.h"

#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Threads.h"

#include <cmath>

namespace earshot::model {

namespace {

// Scratch areas of two threads never share a cache line.
std::size_t wholeLines(std::size_t floats) {
    constexpr std::size_t line = tensor::Tensor::alignment / sizeof(float);
    return (floats + line - 1) / line * line;
}

} // namespace

WindowAttention::WindowAttention(const WindowLayout& layout, int channels, int heads)
    : layout_(layout)
    , channels_(channels)
    , heads_(heads)
    , scratchPerThread_(wholeLines(tensor::attentionScratch(layout.tokensPerWindow(), channels / heads))) {}

void WindowAttention::run(const float* qkv, const tensor::Tensor& positionBias, float* output) {
    const auto scratchNeeded = static_cast<std::size_t>(tensor::threadCount()) * scratchPerThread_;
    if (scratch_.size() < scratchNeeded)
        scratch_ = tensor::Tensor({static_cast<std::int64_t>(scratchNeeded)});

    const int tokens = layout_.tokensPerWindow();
    const int headDim = channels_ / heads_;
    const auto biasPerHead = static_cast<std::ptrdiff_t>(tokens) * tensor::paddedWindow(tokens);
    const auto& attend = tensor::kernels().attend;
    tensor::parallelFor(layout_.windowCount(), [&](std::int64_t index, int thread) {
        const int window = static_cast<int>(index);
        tensor::AttentionWindow task;
        task.qkv = qkv;
        task.output = output;
        task.rows = layout_.rows(window).data();
        task.mask = layout_.mask(window);
        task.scratch = scratch_.data() + static_cast<std::size_t>(thread) * scratchPerThread_;
        task.tokens = tokens;
        task.channels = channels_;
        task.headDim = headDim;
        task.scale = 1.0f / std::sqrt(static_cast<float>(headDim));
        for (int head = 0; head < heads_; ++head) {
            task.head = head;
            task.bias = positionBias.data() + head * biasPerHead;
            attend(task);
        }
    });
}

} // namespace earshot::model
