#include "Core/Training/Network/TrainedFineHead.h"

#include "Core/Model/Network/FineHead.h"
#include "Core/Model/Network/NetworkWeights.h"

#include <algorithm>
#include <string>

namespace earshot::training {

using model::FineHead;
using model::FineHeadForm;
using tensor::kernels;
using tensor::Number;

namespace {

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

std::int64_t inputsOf(const model::Config& config, int stage) {
    return std::int64_t{model::frequencyRows(config, stage)} * config.stageDim(stage);
}

// For each step and tap the step that the tap reads, or the number of all steps beyond a window's ends.
std::vector<std::int32_t> tapsOf(const model::Config& config, int samples) {
    const int steps = config.stepsPerWindow();
    std::vector<std::int32_t> taps;
    for (int sample = 0; sample < samples; ++sample)
        for (int step = 0; step < steps; ++step)
            for (int tap = 0; tap < FineHead::kernelWidth; ++tap) {
                const int at = step + tap - FineHead::kernelWidth / 2;
                taps.push_back(at >= 0 && at < steps ? sample * steps + at : samples * steps);
            }
    return taps;
}

} // namespace

template <typename Value>
TrainedFineHead<Value>::Source::Source(const ParameterLayout& parameters, int stage, int samples)
    : channels(parameters.config().stageDim(stage))
    , tokens(std::int64_t{samples} * parameters.config().stageGrid(stage) *
             parameters.config().stageGrid(stage))
    , weights(parameters.find(FineHeadForm::Source(stage).projection + ".weight"))
    , bias(nullptr)
    , layer(std::int64_t{samples} * parameters.config().gridColumns(stage),
            inputsOf(parameters.config(), stage), parameters.config().headWidth,
            stage + 1 == parameters.config().stageCount(), Number::float32) {
    const model::Config& config = parameters.config();
    const FineHeadForm::Source form(stage);
    if (stage + 1 == config.stageCount())
        bias = &parameters.find(form.projection + ".bias");
    else
        norm = std::make_unique<const Norm>(normOf(parameters, form.norm));
    const int grid = config.stageGrid(stage), perSample = config.gridColumns(stage);
    const int repeats = config.stepsPerWindow() / perSample;
    for (int sample = 0; sample < samples; ++sample) {
        for (int column = 0; column < perSample; ++column)
            for (int row = 0; row < model::frequencyRows(config, stage); ++row)
                places.push_back(sample * grid * grid + model::tokenIndex(config, stage, column, row));
        for (int step = 0; step < config.stepsPerWindow(); ++step)
            columns.push_back(sample * perSample + step / repeats);
    }
    statistics.resize(size(2 * tokens));
    inputs.resize(size(tokens * channels));
    inputGradient.resize(inputs.size());
    projected.resize(size(std::int64_t{samples} * perSample * config.headWidth));
    projectedGradient.resize(projected.size());
    if (norm) unwanted.resize(inputs.size());
}

template <typename Value>
TrainedFineHead<Value>::Layer::Layer(const ParameterLayout& parameters, int index, std::int64_t steps)
    : norm(normOf(parameters, FineHeadForm::Layer(index).norm))
    , weights(parameters.find(FineHeadForm::Layer(index).convolution + ".weight"))
    , bias(parameters.find(FineHeadForm::Layer(index).convolution + ".bias"))
    , x(size(steps * parameters.config().headWidth))
    , statistics(size(2 * steps))
    , normed(x.size())
    , windows(x.size() * FineHead::kernelWidth) {}

template <typename Value>
TrainedFineHead<Value>::TrainedFineHead(const ParameterLayout& parameters, int samples)
    : steps_(std::int64_t{samples} * parameters.config().stepsPerWindow())
    , width_(parameters.config().headWidth)
    , classCount_(parameters.config().classes)
    , convolution_(steps_, FineHead::kernelWidth * width_, width_, true, Number::float32)
    , classes_(steps_, width_, classCount_, true, Number::float32)
    , norm_(normOf(parameters, FineHeadForm::norm))
    , weights_(parameters.find(std::string(FineHeadForm::classes) + ".weight"))
    , bias_(parameters.find(std::string(FineHeadForm::classes) + ".bias"))
    , taps_(tapsOf(parameters.config(), samples))
    , x_(size(steps_ * width_))
    , statistics_(size(2 * steps_))
    , normed_(x_.size())
    , active_(size((steps_ + 1) * width_))
    , mixed_(x_.size())
    , gradient_(x_.size())
    , activeGradient_(active_.size())
    , rounded_(x_.size())
    , windowGradient_(x_.size() * FineHead::kernelWidth)
    , logitGradient_(size(steps_ * classCount_)) {
    for (const int stage : model::headStages(parameters.config()))
        sources_.push_back(std::make_unique<Source>(parameters, stage, samples));
    for (int layer = 0; layer < parameters.config().headLayers; ++layer)
        layers_.push_back(std::make_unique<Layer>(parameters, layer, steps_));
}

template <typename Value>
typename TrainedFineHead<Value>::Norm TrainedFineHead<Value>::normOf(const ParameterLayout& parameters,
                                                                     const std::string& name) {
    return {parameters.find(name + ".weight"), parameters.find(name + ".bias")};
}

template <typename Value>
void TrainedFineHead<Value>::layerNorm(const Norm& norm, const float* x, const std::int32_t* rows, Value* y,
                                       float* statistics, std::int64_t count, std::int64_t channels) const {
    kernels<Value>().layerNorm(x, rows, y, statistics, count, channels, values_.exact + norm.gain.offset,
                               values_.exact + norm.shift.offset, model::LayerNormWeights::epsilon);
}

template <typename Value>
void TrainedFineHead<Value>::layerNormBackward(const Norm& norm, const float* x, const std::int32_t* rows,
                                               const float* statistics, const Value* dy, float* dx,
                                               std::int64_t count, std::int64_t channels,
                                               std::span<float> gradients) const {
    kernels<Value>().layerNormBackward(x, rows, statistics, dy, dx, count, channels,
                                       values_.exact + norm.gain.offset, gradients.data() + norm.gain.offset,
                                       gradients.data() + norm.shift.offset);
}

template <typename Value>
void TrainedFineHead<Value>::project(Source& source, const float* features) {
    if (source.norm)
        layerNorm(*source.norm, features, source.places.data(), source.inputs.data(),
                  source.statistics.data(), source.tokens, source.channels);
    else
        kernels<Value>().gather(features, source.places.data(), source.inputs.data(), 1.0f, source.tokens,
                                source.channels);
    source.layer.forward(source.inputs.data(), values_.rounded + source.weights.offset,
                         source.bias == nullptr ? nullptr : values_.exact + source.bias->offset,
                         source.projected.data());
}

template <typename Value>
void TrainedFineHead<Value>::forwardOf(Layer& layer, float* output) {
    layerNorm(layer.norm, layer.x.data(), nullptr, layer.normed.data(), layer.statistics.data(), steps_,
              width_);
    kernels<Value>().gelu(layer.normed.data(), active_.data(), steps_ * width_);
    Value* window = layer.windows.data();
    for (const std::int32_t step : taps_)
        window = std::copy_n(active_.data() + std::int64_t{step} * width_, width_, window);
    convolution_.forward(layer.windows.data(), values_.rounded + layer.weights.offset,
                         values_.exact + layer.bias.offset, mixed_.data());
    for (std::size_t i = 0; i < mixed_.size(); ++i) output[i] = layer.x[i] + mixed_[i];
}

template <typename Value>
void TrainedFineHead<Value>::forward(std::span<const float* const> features, float* logits) {
    features_.assign(features.begin(), features.end());
    float* const x = layers_.empty() ? x_.data() : layers_.front()->x.data();
    std::fill_n(x, x_.size(), 0.0f);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        Source& source = *sources_[i];
        project(source, features[i]);
        kernels<float>().gather(source.projected.data(), source.columns.data(), mixed_.data(), 1.0f, steps_,
                                width_);
        kernels<float>().scatterAdd(x, nullptr, mixed_.data(), 1.0f, steps_, width_);
    }
    for (std::size_t i = 0; i < layers_.size(); ++i)
        forwardOf(*layers_[i], i + 1 < layers_.size() ? layers_[i + 1]->x.data() : x_.data());
    layerNorm(norm_, x_.data(), nullptr, normed_.data(), statistics_.data(), steps_, width_);
    classes_.forward(normed_.data(), values_.rounded + weights_.offset, values_.exact + bias_.offset, logits);
}

// gradient_: of the layer's output before, of its input after the call.
template <typename Value>
void TrainedFineHead<Value>::backwardOf(Layer& layer, std::span<float> gradients) {
    const auto& loops = kernels<Value>();
    loops.gather(gradient_.data(), nullptr, rounded_.data(), 1.0f, steps_, width_);
    convolution_.parameterGradients(layer.windows.data(), rounded_.data(),
                                    gradients.data() + layer.weights.offset,
                                    gradients.data() + layer.bias.offset);
    convolution_.inputGradient(rounded_.data(), values_.rounded + layer.weights.offset,
                               windowGradient_.data());
    std::fill(activeGradient_.begin(), activeGradient_.end(), 0.0f);
    loops.scatterAdd(activeGradient_.data(), taps_.data(), windowGradient_.data(), 1.0f,
                     steps_ * FineHead::kernelWidth, width_);
    loops.gather(activeGradient_.data(), nullptr, rounded_.data(), 1.0f, steps_, width_);
    loops.geluBackward(layer.normed.data(), rounded_.data(), steps_ * width_);
    layerNormBackward(layer.norm, layer.x.data(), nullptr, layer.statistics.data(), rounded_.data(),
                      gradient_.data(), steps_, width_, gradients);
}

template <typename Value>
void TrainedFineHead<Value>::backwardOf(Source& source, const float* features, float* featureGradient,
                                        std::span<float> gradients) {
    const auto& loops = kernels<Value>();
    std::fill(source.projected.begin(), source.projected.end(), 0.0f);
    kernels<float>().scatterAdd(source.projected.data(), source.columns.data(), gradient_.data(), 1.0f,
                                steps_, width_);
    loops.gather(source.projected.data(), nullptr, source.projectedGradient.data(), 1.0f,
                 static_cast<std::int64_t>(source.projected.size()) / width_, width_);
    source.layer.parameterGradients(
        source.inputs.data(), source.projectedGradient.data(), gradients.data() + source.weights.offset,
        source.bias == nullptr ? nullptr : gradients.data() + source.bias->offset);
    if (!source.norm && featureGradient == nullptr) return;
    source.layer.inputGradient(source.projectedGradient.data(), values_.rounded + source.weights.offset,
                               source.inputGradient.data());
    float* const dx = featureGradient == nullptr ? source.unwanted.data() : featureGradient;
    std::fill_n(dx, source.tokens * source.channels, 0.0f);
    if (source.norm)
        layerNormBackward(*source.norm, features, source.places.data(), source.statistics.data(),
                          source.inputGradient.data(), dx, source.tokens, source.channels, gradients);
    else
        loops.scatterAdd(dx, source.places.data(), source.inputGradient.data(), 1.0f, source.tokens,
                         source.channels);
}

template <typename Value>
void TrainedFineHead<Value>::backward(const float* logitGradients, std::span<float* const> featureGradients,
                                      std::span<float> gradients) {
    kernels<Value>().gather(logitGradients, nullptr, logitGradient_.data(), 1.0f, steps_, classCount_);
    classes_.parameterGradients(normed_.data(), logitGradient_.data(), gradients.data() + weights_.offset,
                                gradients.data() + bias_.offset);
    classes_.inputGradient(logitGradient_.data(), values_.rounded + weights_.offset, rounded_.data());
    std::fill(gradient_.begin(), gradient_.end(), 0.0f);
    layerNormBackward(norm_, x_.data(), nullptr, statistics_.data(), rounded_.data(), gradient_.data(),
                      steps_, width_, gradients);
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) backwardOf(**layer, gradients);
    for (std::size_t i = 0; i < sources_.size(); ++i)
        backwardOf(*sources_[i], features_[i], featureGradients[i], gradients);
}

template class TrainedFineHead<float>;
template class TrainedFineHead<tensor::BFloat16>;

} // namespace earshot::training
