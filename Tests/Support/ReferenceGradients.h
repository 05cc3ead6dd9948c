// Training's loops as plain loops in double precision, for reading, not for speed. The kernels of
// Core/Tensor/Kernels.h are compared with them. Their backward passes are compared with finite differences of
// the forward ones.
#pragma once

#include "Support/ReferenceNetwork.h"

#include <functional>

namespace earshot::test {

struct NormGradients {
    Values x;          // (rows, channels)
    Values gain, bias; // (channels)
};
// The gradients of referenceLayerNorm.
NormGradients referenceLayerNormBackward(const Values& x, const Values& gain, const Values& dy);

double referenceGeluSlope(double x);

// All heads of one attention window. qkv (tokens, 3 * channels), bias (heads, tokens, tokens), mask (tokens,
// tokens) or empty -> (tokens, channels)
struct AttentionShape {
    std::size_t tokens, heads, headDim;
    std::size_t channels() const { return heads * headDim; }
};
Values referenceMultiHead(const AttentionShape& shape, const Values& qkv, const Values& bias,
                          const Values& mask, double scale);
struct AttentionGradients {
    Values qkv;  // (tokens, 3 * channels)
    Values bias; // (heads, tokens, tokens)
};
AttentionGradients referenceMultiHeadBackward(const AttentionShape& shape, const Values& qkv,
                                              const Values& bias, const Values& mask, double scale,
                                              const Values& outputGradient);

// d value(x) / d x_i for every i, by central differences.
Values finiteDifferences(const std::function<double(const Values&)>& value, Values x, double step = 1e-5);
double dot(const Values& a, const Values& b);

} // namespace earshot::test
