// Numbers as bytes: what VNNI multiplies. Activations are unsigned, with a scale of each column's own;
// weights are signed, with a scale of each output's own (Jacob et al. 2018, "Quantization and Training of
// Neural Networks for Efficient Integer-Arithmetic-Only Inference"). Pure functions: any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::tensor {

// value = low + step * byte; what lies outside is cut off.
struct ByteScale {
    float low = 0.0f;
    float step = 1.0f;

    // From low to high over all bytes; a range of nothing has a step that does no harm.
    static ByteScale over(float low, float high);
};

// A linear layer for inputs that are bytes: y = scales * (weights bytes + bias).
struct ByteWeights {
    std::vector<std::int8_t> weights; // (outputs, inputs)
    std::vector<float> scales;        // (outputs)
    std::vector<float> bias;          // (outputs), in units of the scales
};

// weights: (outputs, inputs), bias: (outputs) or empty, inputs: one scale for each column.
ByteWeights byteWeights(std::span<const float> weights, std::span<const float> bias,
                        std::span<const ByteScale> inputs);

} // namespace earshot::tensor
