// A task beside the labels: from a sound's features the network is to tell a teacher's embedding of its
// recording. For each sound of a window, the mean of the last stage's features over the columns in which it
// sounds goes through a linear layer, and the loss is the mean squared error to the standardised embedding;
// of two recordings that are layered, to the mean of theirs. The layer is no part of the model that is
// written (Romero et al., "FitNets", 2015; Tian et al., "Contrastive Representation Distillation", 2020,
// compare such tasks).
//
// Its gradient is scaled so that, averaged over steps, its norm at the features is `weight` times that of the
// labels' (less while the layer still tells nothing). One thread at a time, except pass(), which any number
// of threads may call at once, each with its own sums.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Tensor/Tensor.h"
#include "Core/Training/Data/Example.h"
#include "Core/Training/Network/Learner.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace earshot::training {

class EmbeddingRegression {
  public:
    // What passes add up, for each thread.
    struct Sums {
        std::vector<float> gradient; // as values()
        double squaredError = 0.0;   // mean over an embedding's values, summed over sounds
        std::int64_t sounds = 0;
        double labelSquares = 0.0, ownSquares = 0.0; // of the gradients at the features
        std::vector<float> work;
    };

    // Layer (embeddingWidth, latentDim + 1), the last column a bias; it begins with zeros.
    EmbeddingRegression(const model::Config& config, int embeddingWidth, double weight);

    Sums newSums() const;
    // The loss of one window. features: (last stage's grid^2, latentDim). share: of the window in its batch.
    // Adds the gradient of share * loss to sums.gradient and, unscaled, to featureGradient, which has the
    // shape of features.
    void pass(std::span<const float> features, const Example& example, float share,
              std::span<float> featureGradient, Sums& sums) const;
    // What multiplies the feature gradients of this step.
    float scale() const;

    // One step of AdamW with the sums of all threads, in their order; clears them. Returns the mean squared
    // error over the sounds: 1 for a layer that tells nothing, 0 for one that tells all.
    double update(std::span<Sums* const> sums, const TrainerSettings& settings, std::int64_t step);

    std::span<const float> values() const { return values_.values(); }

    // What a resumed training needs: tensors of a checkpoint, by name, and the running norms as text.
    std::map<std::string, tensor::Tensor*> tensors();
    std::string norms() const;
    bool setNorms(const std::string& text); // false: not a text of norms()

  private:
    int embeddingWidth_, channels_;
    double weight_;
    std::vector<std::vector<int>> tokens_; // by column: those of the last stage's grid
    int stepsPerColumn_;
    tensor::Tensor values_, moment1_, moment2_, unused_;
    double labelNorm_ = 0.0, ownNorm_ = 0.0; // running means
    std::int64_t updates_ = 0;
};

} // namespace earshot::training
