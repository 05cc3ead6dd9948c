// Numbers as bytes, the operands of VNNI instructions. Activations are unsigned, with a scale for each
// column; weights are signed, with a scale for each output (Jacob et al. 2018, "Quantization and Training of
// Neural Networks for Efficient Integer-Arithmetic-Only Inference"). Pure functions: any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::tensor {

// value = low + step * byte; values outside are clamped.
struct ByteScale {
    float low = 0.0f;
    float step = 1.0f;

    // Spreads the bytes over [low, high]. An empty range gets a harmless step.
    static ByteScale over(float low, float high);
};

// A linear layer for inputs that are bytes: y = scales * (weights bytes + bias).
struct ByteWeights {
    std::vector<std::int8_t> weights; // (outputs, inputs)
    std::vector<float> scales;        // (outputs)
    std::vector<float> bias;          // (outputs), in units of the scales
};

// weights: (outputs, inputs); bias: (outputs) or empty; inputs: a scale for each column.
ByteWeights byteWeights(std::span<const float> weights, std::span<const float> bias,
                        std::span<const ByteScale> inputs);

} // namespace earshot::tensor
