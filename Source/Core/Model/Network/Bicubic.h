// Bicubic interpolation as PyTorch computes it (Keys 1981, a = -0.75): beyond the border, the border's value
// counts. Pure functions: any thread.
#pragma once

#include <array>
#include <span>

namespace earshot::model {

// Weights of the four neighbours at distances 1 + t, t, 1 - t, 2 - t; 0 <= t < 1.
std::array<float, 4> cubicWeights(float t);

// Brings a square grid of vectors to another side, each channel by itself, with align_corners = false and
// without antialiasing. input: (side * side, channels), output: (newSide * newSide, channels), row by row;
// both sides are at least 1.
void resizeGrid(std::span<const float> input, std::span<float> output, int side, int newSide);

} // namespace earshot::model
