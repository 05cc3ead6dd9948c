#include "Core/Training/Network/EmbeddingRegression.h"

#include "Core/Model/Network/Head.h"
#include "Core/Tensor/Kernels.h"
#include "Core/Training/Network/Optimiser.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::training {

namespace {

constexpr double layerRate = 1e-3;  // at the peak of the schedule
constexpr double normMemory = 0.98; // of the running norms, per step
constexpr double maxScale = 0.1;    // of its gradient, while the layer still tells nothing

} // namespace

EmbeddingRegression::EmbeddingRegression(const model::Config& config, int embeddingWidth, double weight)
    : embeddingWidth_(embeddingWidth)
    , channels_(static_cast<int>(config.latentDim()))
    , weight_(weight) {
    const int last = config.stageCount() - 1;
    const int columns = config.gridColumns(last);
    tokens_.resize(static_cast<std::size_t>(columns));
    for (int column = 0; column < columns; ++column)
        for (int row = 0; row < model::frequencyRows(config, last); ++row)
            tokens_[static_cast<std::size_t>(column)].push_back(model::tokenIndex(config, last, column, row));
    stepsPerColumn_ = std::max(1, config.stepsPerWindow() / columns);
    for (tensor::Tensor* block : {&values_, &moment1_, &moment2_, &unused_})
        *block = tensor::Tensor({embeddingWidth_, channels_ + 1});
}

EmbeddingRegression::Sums EmbeddingRegression::newSums() const {
    Sums sums;
    sums.gradient.resize(values_.size());
    return sums;
}

void EmbeddingRegression::pass(std::span<const float> features, const Example& example, float share,
                               std::span<float> featureGradient, Sums& sums) const {
    const auto channels = static_cast<std::size_t>(channels_),
               width = static_cast<std::size_t>(embeddingWidth_);
    sums.work.resize(2 * channels);
    const auto pooled = std::span(sums.work).first(channels), slope = std::span(sums.work).last(channels);
    std::vector<int> places; // tokens in which the sound is
    for (const TaughtSound& sound : example.taught) {
        const TeacherRow* first = sound.teachers[0];
        const TeacherRow* second = sound.teachers[1];
        if (first != nullptr && first->embedding == nullptr) first = nullptr;
        if (second != nullptr && second->embedding == nullptr) second = nullptr;
        if (first == nullptr) std::swap(first, second);
        if (first == nullptr || sound.steps.empty()) continue;
        places.clear();
        int before = -1;
        for (const int step : sound.steps) {
            const int column = std::min(step / stepsPerColumn_, static_cast<int>(tokens_.size()) - 1);
            if (column == before) continue;
            before = column;
            const auto& own = tokens_[static_cast<std::size_t>(column)];
            places.insert(places.end(), own.begin(), own.end());
        }
        const float part = 1.0f / static_cast<float>(places.size());
        std::ranges::fill(pooled, 0.0f);
        std::ranges::fill(slope, 0.0f);
        for (const int place : places) {
            const float* token = features.data() + static_cast<std::size_t>(place) * channels;
            for (std::size_t c = 0; c < channels; ++c) pooled[c] += part * token[c];
        }
        double squares = 0.0;
        for (std::size_t j = 0; j < width; ++j) {
            const float* row = values_.data() + j * (channels + 1);
            float* gradient = sums.gradient.data() + j * (channels + 1);
            float value = row[channels];
            for (std::size_t c = 0; c < channels; ++c) value += row[c] * pooled[c];
            const float wanted =
                second == nullptr ? first->embedding[j] : 0.5f * (first->embedding[j] + second->embedding[j]);
            const float error = value - wanted;
            squares += static_cast<double>(error) * static_cast<double>(error);
            const float back = share * 2.0f * error / static_cast<float>(width);
            gradient[channels] += back;
            for (std::size_t c = 0; c < channels; ++c) {
                gradient[c] += back * pooled[c];
                slope[c] += back * row[c];
            }
        }
        for (const int place : places) {
            float* token = featureGradient.data() + static_cast<std::size_t>(place) * channels;
            for (std::size_t c = 0; c < channels; ++c) token[c] += part * slope[c];
        }
        sums.squaredError += squares / static_cast<double>(width);
        ++sums.sounds;
    }
}

float EmbeddingRegression::scale() const {
    return ownNorm_ > 0.0 ? static_cast<float>(std::min(maxScale, weight_ * labelNorm_ / ownNorm_)) : 0.0f;
}

double EmbeddingRegression::update(std::span<Sums* const> sums, const TrainerSettings& settings,
                                   std::int64_t step) {
    Sums& total = *sums.front();
    for (Sums* other : sums.subspan(1)) {
        for (std::size_t i = 0; i < total.gradient.size(); ++i) total.gradient[i] += other->gradient[i];
        total.squaredError += other->squaredError;
        total.sounds += other->sounds;
        total.labelSquares += other->labelSquares;
        total.ownSquares += other->ownSquares;
    }
    const double error = total.sounds > 0 ? total.squaredError / static_cast<double>(total.sounds) : 0.0;
    labelNorm_ += (1.0 - normMemory) * (std::sqrt(total.labelSquares) - labelNorm_);
    ownNorm_ += (1.0 - normMemory) * (std::sqrt(total.ownSquares) - ownNorm_);
    const auto time = static_cast<double>(++updates_);
    const tensor::AdamStep adam{
        .rate = static_cast<float>(layerRate * learningRate(settings, step) / settings.peakRate),
        .decay = 0.0f,
        .beta1 = static_cast<float>(settings.beta1),
        .beta2 = static_cast<float>(settings.beta2),
        .correction1 = static_cast<float>(1.0 / (1.0 - std::pow(settings.beta1, time))),
        .correction2 = static_cast<float>(1.0 / (1.0 - std::pow(settings.beta2, time))),
        .epsilon = static_cast<float>(settings.epsilon),
        .gradientScale = 1.0f,
        .averageRate = 1.0f};
    tensor::optimiserKernels().adamW(adam, total.gradient.data(), values_.data(), moment1_.data(),
                                     moment2_.data(), unused_.data(),
                                     static_cast<std::int64_t>(values_.size()));
    for (Sums* own : sums) {
        std::ranges::fill(own->gradient, 0.0f);
        own->squaredError = own->labelSquares = own->ownSquares = 0.0;
        own->sounds = 0;
    }
    return error;
}

std::map<std::string, tensor::Tensor*> EmbeddingRegression::tensors() {
    return {
        {"embedding.layer", &values_}, {"embedding.moment1", &moment1_}, {"embedding.moment2", &moment2_}};
}

std::string EmbeddingRegression::norms() const {
    return nlohmann::json{{"labels", labelNorm_}, {"embeddings", ownNorm_}, {"updates", updates_}}.dump();
}

bool EmbeddingRegression::setNorms(const std::string& text) {
    const auto object = nlohmann::json::parse(text, nullptr, false);
    const auto number = [&](const char* key) {
        return object.is_object() && object.contains(key) && object[key].is_number();
    };
    if (!number("labels") || !number("embeddings") || !number("updates")) return false;
    labelNorm_ = object["labels"].get<double>();
    ownNorm_ = object["embeddings"].get<double>();
    updates_ = object["updates"].get<std::int64_t>();
    return std::isfinite(labelNorm_) && std::isfinite(ownNorm_) && updates_ >= 0;
}

} // namespace earshot::training
