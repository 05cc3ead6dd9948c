// A linear layer with its backward pass, for a fixed number of rows: three oneDNN products on plain matrices.
// It stores nothing: weights, activations and gradients are the caller's. One thread at a time.
#pragma once

#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Primitives.h"

#include <cstdint>
#include <type_traits>

namespace earshot::training {

template <typename Value>
inline constexpr auto numberOf =
    std::is_same_v<Value, float> ? tensor::Number::float32 : tensor::Number::bfloat16;

// A network's parameters in the order of ParameterLayout: exact, and rounded to the type that products read.
template <typename Value>
struct ParameterValues {
    const float* exact = nullptr;
    const Value* rounded = nullptr;
};

template <typename Value>
class TrainedLinear {
  public:
    // result: the type that forward writes.
    TrainedLinear(std::int64_t rows, std::int64_t inputs, std::int64_t outputs, bool bias,
                  tensor::Number result = numberOf<Value>)
        : rows_(rows)
        , outputs_(outputs)
        , forward_({.rows = rows,
                    .inner = inputs,
                    .columns = outputs,
                    .transposeRight = true,
                    .operands = numberOf<Value>,
                    .result = result,
                    .bias = bias})
        , backward_({.rows = rows,
                     .inner = outputs,
                     .columns = inputs,
                     .operands = numberOf<Value>,
                     .result = numberOf<Value>})
        , weights_({.rows = outputs,
                    .inner = rows,
                    .columns = inputs,
                    .transposeLeft = true,
                    .operands = numberOf<Value>,
                    .result = tensor::Number::float32,
                    .accumulate = true}) {}

    // x: (rows, inputs), weights: (outputs, inputs), bias: (outputs) or null, y: (rows, outputs)
    void forward(const Value* x, const Value* weights, const float* bias, void* y) {
        forward_.run(x, weights, y, bias);
    }
    // dx = dy W
    void inputGradient(const Value* dy, const Value* weights, Value* dx) { backward_.run(dy, weights, dx); }
    // weightGradient += dy^T x, biasGradient += the sum of dy's rows (null: no bias)
    void parameterGradients(const Value* x, const Value* dy, float* weightGradient, float* biasGradient) {
        weights_.run(dy, x, weightGradient);
        if (biasGradient != nullptr)
            tensor::kernels<Value>().addColumnSums(dy, biasGradient, rows_, outputs_);
    }

  private:
    std::int64_t rows_, outputs_;
    tensor::Product forward_, backward_, weights_;
};

} // namespace earshot::training
