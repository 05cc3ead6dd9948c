#include "Core/Model/Network/InputImage.h"

#include "Core/Model/Network/Bicubic.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::model {

void stretchFrames(std::span<const float> input, std::span<float> output, int bands) {
    const auto frames = static_cast<std::int64_t>(input.size()) / bands;
    const auto outputFrames = static_cast<std::int64_t>(output.size()) / bands;
    assert(frames >= 1 && outputFrames >= 1);
    const float step =
        outputFrames > 1 ? static_cast<float>(frames - 1) / static_cast<float>(outputFrames - 1) : 0.0f;
    const auto frame = [&](std::int64_t i) {
        return input.data() + std::clamp<std::int64_t>(i, 0, frames - 1) * bands;
    };
    for (std::int64_t i = 0; i < outputFrames; ++i) {
        const float position = step * static_cast<float>(i);
        const auto first = static_cast<std::int64_t>(std::floor(position));
        const auto w = cubicWeights(position - static_cast<float>(first));
        const float *a = frame(first - 1), *b = frame(first), *c = frame(first + 1), *d = frame(first + 2);
        float* out = output.data() + i * bands;
        for (int band = 0; band < bands; ++band)
            out[band] = a[band] * w[0] + b[band] * w[1] + c[band] * w[2] + d[band] * w[3];
    }
}

void normaliseBands(std::span<float> values, const NetworkWeights& weights) {
    const auto bands = weights.bandScale.size();
    const float* scale = weights.bandScale.data();
    const float* shift = weights.bandShift.data();
    for (std::size_t first = 0; first < values.size(); first += bands) {
        float* frame = values.data() + first;
        for (std::size_t band = 0; band < bands; ++band)
            frame[band] = frame[band] * scale[band] + shift[band];
    }
}

void foldFrames(std::span<const float> frames, std::span<float> image, const Config& config) {
    const int side = config.imageSize;
    const int bands = config.melBands;
    assert(static_cast<int>(frames.size()) == config.windowFrames() * bands);
    for (int segment = 0; segment < config.timeSegments(); ++segment)
        for (int band = 0; band < bands; ++band) {
            const float* source = frames.data() + static_cast<std::ptrdiff_t>(segment) * side * bands + band;
            float* row = image.data() + (static_cast<std::ptrdiff_t>(segment) * bands + band) * side;
            for (int t = 0; t < side; ++t) row[t] = source[t * bands];
        }
}

} // namespace earshot::model
