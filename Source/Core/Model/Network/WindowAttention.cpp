#include "Core/Model/Network/WindowAttention.h"

#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Threads.h"

#include <cmath>

namespace earshot::model {

namespace {

float scoreScale(int headDim) { return 1.0f / std::sqrt(static_cast<float>(headDim)); }

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

} // namespace earshot::model
