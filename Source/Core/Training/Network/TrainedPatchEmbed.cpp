#include "Core/Training/Network/TrainedPatchEmbed.h"

#include "Core/Model/Network/NetworkWeights.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::training {

using tensor::kernels;

namespace {

constexpr float batchNormEpsilon = 1e-5f;

// image[segment * bands + band, t] = frames[segment * side + t, band]; zeros around it where patches overlap.
std::vector<std::int32_t> pixelMap(const model::Config& config) {
    const int side = config.imageSize;
    const int bands = config.melBands;
    const int padding = (config.patchSize - config.patchStride) / 2;
    std::vector<std::int32_t> map;
    for (int gridRow = 0; gridRow < config.stageGrid(0); ++gridRow)
        for (int gridColumn = 0; gridColumn < config.stageGrid(0); ++gridColumn)
            for (int y = 0; y < config.patchSize; ++y)
                for (int x = 0; x < config.patchSize; ++x) {
                    const int row = gridRow * config.patchStride - padding + y;
                    const int column = gridColumn * config.patchStride - padding + x;
                    const bool inside = row >= 0 && row < side && column >= 0 && column < side;
                    const int frame = row / bands * side + column;
                    map.push_back(inside ? frame * bands + row % bands : -1);
                }
    return map;
}

} // namespace

template <typename Value>
TrainedPatchEmbed<Value>::TrainedPatchEmbed(const ParameterLayout& parameters, int samples)
    : config_(parameters.config())
    , samples_(samples)
    , tokens_(static_cast<std::int64_t>(samples) * config_.stageGrid(0) * config_.stageGrid(0))
    , patchPixels_(config_.patchSize * config_.patchSize)
    , bandGain_(parameters.find("bn0.weight"))
    , bandShift_(parameters.find("bn0.bias"))
    , projection_(parameters.find("patch_embed.proj.weight"))
    , projectionBias_(parameters.find("patch_embed.proj.bias"))
    , layer_(tokens_, patchPixels_, config_.embedDim, true, tensor::Number::float32)
    , pixels_(pixelMap(config_)) {
    if (config_.patchNorm) {
        gain_ = &parameters.find("patch_embed.norm.weight");
        shift_ = &parameters.find("patch_embed.norm.bias");
    }
    if (config_.absolutePositionEmbedding) positions_ = &parameters.find("absolute_pos_embed");
    const auto frameValues = static_cast<std::size_t>(samples) *
                             static_cast<std::size_t>(config_.windowFrames()) *
                             static_cast<std::size_t>(config_.melBands);
    const auto tokens = static_cast<std::size_t>(tokens_);
    const auto wide = tokens * static_cast<std::size_t>(config_.embedDim);
    normalised_.resize(frameValues);
    shown_.resize(frameValues);
    hidden_.resize(frameValues);
    patches_.resize(tokens * static_cast<std::size_t>(patchPixels_));
    patchGradient_.resize(patches_.size());
    projected_.resize(wide);
    projectedGradient_.resize(wide);
    roundedGradient_.resize(wide);
    statistics_.resize(2 * tokens);
}

template <typename Value>
void TrainedPatchEmbed<Value>::normaliseBands(std::span<const float> logMel,
                                              const BandStatistics& statistics) {
    const auto bands = static_cast<std::size_t>(config_.melBands);
    std::vector<float> scale(bands);
    for (std::size_t band = 0; band < bands; ++band)
        scale[band] = 1.0f / std::sqrt(statistics.variance[band] + batchNormEpsilon);
    for (std::size_t first = 0; first < logMel.size(); first += bands)
        for (std::size_t band = 0; band < bands; ++band)
            normalised_[first + band] = (logMel[first + band] - statistics.mean[band]) * scale[band];
}

template <typename Value>
void TrainedPatchEmbed<Value>::mask(std::span<const std::vector<Stripe>> stripes) {
    const int frames = config_.windowFrames();
    const int bands = config_.melBands;
    std::fill(hidden_.begin(), hidden_.end(), std::uint8_t{0});
    for (std::size_t sample = 0; sample < stripes.size(); ++sample)
        for (const auto& stripe : stripes[sample]) {
            auto* values = hidden_.data() + sample * static_cast<std::size_t>(frames * bands);
            const int end = std::min(stripe.first + stripe.count, stripe.inTime ? frames : bands);
            for (int i = std::max(stripe.first, 0); i < end; ++i) {
                if (stripe.inTime)
                    std::fill_n(values + static_cast<std::ptrdiff_t>(i) * bands, bands, std::uint8_t{1});
                else
                    for (int frame = 0; frame < frames; ++frame) values[frame * bands + i] = 1;
            }
        }
}

template <typename Value>
void TrainedPatchEmbed<Value>::forward(std::span<const float> logMel,
                                       std::span<const std::vector<Stripe>> stripes,
                                       const BandStatistics& statistics, float* output) {
    assert(logMel.size() == normalised_.size());
    const auto bands = static_cast<std::size_t>(config_.melBands);
    const float* bandGain = values_.exact + bandGain_.offset;
    const float* bandShift = values_.exact + bandShift_.offset;
    normaliseBands(logMel, statistics);
    mask(stripes);
    for (std::size_t first = 0; first < logMel.size(); first += bands)
        for (std::size_t band = 0; band < bands; ++band) {
            const auto i = first + band;
            shown_[i] = hidden_[i] != 0 ? 0.0f : normalised_[i] * bandGain[band] + bandShift[band];
        }

    const auto sampleValues = static_cast<std::size_t>(config_.windowFrames()) * bands;
    Value* out = patches_.data();
    for (int sample = 0; sample < samples_; ++sample) {
        const float* source = shown_.data() + static_cast<std::size_t>(sample) * sampleValues;
        for (const auto pixel : pixels_) *out++ = Value(pixel < 0 ? 0.0f : source[pixel]);
    }
    float* projected = gain_ != nullptr ? projected_.data() : output;
    layer_.forward(patches_.data(), values_.rounded + projection_.offset,
                   values_.exact + projectionBias_.offset, projected);
    if (gain_ != nullptr)
        kernels<float>().layerNorm(projected, nullptr, output, statistics_.data(), tokens_, config_.embedDim,
                                   values_.exact + gain_->offset, values_.exact + shift_->offset,
                                   model::LayerNormWeights::epsilon);
    if (positions_ == nullptr) return;
    const auto perSample = tokens_ / samples_;
    for (int sample = 0; sample < samples_; ++sample)
        kernels<float>().scatterAdd(output + sample * perSample * config_.embedDim, nullptr,
                                    values_.exact + positions_->offset, 1.0f, perSample, config_.embedDim);
}

template <typename Value>
void TrainedPatchEmbed<Value>::backward(float* outputGradient, std::span<float> gradients) {
    const auto& loops = kernels<Value>();
    const auto perSample = tokens_ / samples_;
    if (positions_ != nullptr)
        for (int sample = 0; sample < samples_; ++sample)
            kernels<float>().scatterAdd(gradients.data() + positions_->offset, nullptr,
                                        outputGradient + sample * perSample * config_.embedDim, 1.0f,
                                        perSample, config_.embedDim);
    const float* projectedGradient = outputGradient;
    if (gain_ != nullptr) {
        std::fill(projectedGradient_.begin(), projectedGradient_.end(), 0.0f);
        kernels<float>().layerNormBackward(projected_.data(), nullptr, statistics_.data(), outputGradient,
                                           projectedGradient_.data(), tokens_, config_.embedDim,
                                           values_.exact + gain_->offset, gradients.data() + gain_->offset,
                                           gradients.data() + shift_->offset);
        projectedGradient = projectedGradient_.data();
    }
    loops.gather(projectedGradient, nullptr, roundedGradient_.data(), 1.0f, tokens_, config_.embedDim);
    layer_.parameterGradients(patches_.data(), roundedGradient_.data(), gradients.data() + projection_.offset,
                              gradients.data() + projectionBias_.offset);
    layer_.inputGradient(roundedGradient_.data(), values_.rounded + projection_.offset,
                         patchGradient_.data());
    backwardBands(gradients);
}

template <typename Value>
void TrainedPatchEmbed<Value>::backwardBands(std::span<float> gradients) {
    const auto bands = static_cast<std::size_t>(config_.melBands);
    const auto sampleValues = static_cast<std::size_t>(config_.windowFrames()) * bands;
    std::fill(shown_.begin(), shown_.end(), 0.0f);
    const Value* in = patchGradient_.data();
    for (int sample = 0; sample < samples_; ++sample) {
        float* target = shown_.data() + static_cast<std::size_t>(sample) * sampleValues;
        for (const auto pixel : pixels_) {
            if (pixel >= 0) target[pixel] += static_cast<float>(*in);
            ++in;
        }
    }
    // In double, because a band's gradient is a sum over every frame of every sample.
    std::vector<double> gain(bands), shift(bands);
    for (std::size_t first = 0; first < shown_.size(); first += bands)
        for (std::size_t band = 0; band < bands; ++band) {
            const auto i = first + band;
            if (hidden_[i] != 0) continue;
            gain[band] += static_cast<double>(shown_[i]) * normalised_[i];
            shift[band] += shown_[i];
        }
    for (std::size_t band = 0; band < bands; ++band) {
        gradients[bandGain_.offset + band] += static_cast<float>(gain[band]);
        gradients[bandShift_.offset + band] += static_cast<float>(shift[band]);
    }
}

template class TrainedPatchEmbed<float>;
template class TrainedPatchEmbed<tensor::BFloat16>;

} // namespace earshot::training
