// The end of a pass: turns the encoder's tokens into probabilities of classes over time and of the whole
// clip. A head computes logits (EventHead.h, FineHead.h); this class makes the rest of them. The clip's
// probability is the sigmoid of the mean logit, unless the head computes a logit of the clip. One thread at a
// time; run() allocates only when the thread count grows.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Tensor/Tensor.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::model {

// The stages whose tokens a model's head reads, in their order. Those of the last stage pass the final norm;
// those of earlier stages are as the stage's last block leaves them.
std::vector<int> headStages(const Config& config);
// Rows of a stage's grid that belong to one time segment (2 in the last stage).
int frequencyRows(const Config& config, int stage);
// The index in a stage's grid of the token at a time column (0 to gridColumns(stage) - 1) and frequency row.
int tokenIndex(const Config& config, int stage, int column, int frequencyRow);

class Head {
  public:
    virtual ~Head() = default;
    Head(const Head&) = delete;
    Head& operator=(const Head&) = delete;

    void run();

    std::span<const float> logits() const { return logits_.values(); } // (steps [+ clip], classes)
    // (stepsPerWindow, classes)
    std::span<const float> tokenProbabilities() const { return tokens_.values(); }
    std::span<const float> clipProbabilities() const { return clipwise_.values(); } // (classes)
    std::span<const float> latent() const { return latent_.values(); }              // (C), the mean token
    // frames: (gridColumns, C), the means over frequency rows of the tokens of the last run
    void frameTokens(std::span<float> frames) const;
    // inputs: (stepsPerWindow, the last layer's inputs), of which the last run made its logits. Not with
    // bytes.
    virtual void classInputs(std::span<float> inputs) const = 0;

  protected:
    // tokens: (grid * grid, C) after the final norm. rows: of the logits.
    Head(const Config& config, const float* tokens, std::int64_t rows);

    virtual void computeLogits() = 0; // latent() is set already

    const Config& config_;
    const float* gridTokens_;
    tensor::Tensor logits_;

  private:
    void averageTokens();

    tensor::Tensor tokens_;
    tensor::Tensor clipwise_;
    tensor::Tensor latent_;
};

} // namespace earshot::model
