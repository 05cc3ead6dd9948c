// The head that says what and when. TSCAM (token-semantic module, HT-SAT section 2.3): the last grid's rows
// are regrouped as time segments x frequency rows into (C, frequencyRows, tokensPerWindow) and convolved with
// (frequencyRows, 3), padding (0, 1), to one logit per token and class; the clip's probability is the sigmoid
// of the mean logit. Without TSCAM a linear layer reads the mean token (clip) and, per time step, the sum
// over frequency rows (framewise), as the reference does. One thread at a time; allocates nothing in run().
#pragma once

#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Tensor/AlignedVector.h"

#include <span>

namespace earshot::model {

class EventHead {
  public:
    static constexpr int kernelWidth = 3; // tokens

    // Rows of the last grid that belong to one time segment (2).
    static int frequencyRows(const Config& config);
    // (classes, C, rows, 3) as PyTorch stores it -> (classes, rows, 3, C), so that whole tokens are copied.
    static tensor::Tensor arrangeKernel(const Config& config, const tensor::Tensor& kernel);

    // tokens: (grid * grid, C) after the final norm.
    EventHead(const NetworkWeights& weights, const Config& config, const float* tokens, float* scratch);

    void run();

    std::span<const float> logits() const { return logits_.values(); } // (tokens [+ clip], classes)
    std::span<const float> tokenProbabilities() const {
        return tokens_.values();
    } // (tokensPerWindow, classes)
    std::span<const float> clipProbabilities() const { return clipwise_.values(); } // (classes)
    std::span<const float> latent() const { return latent_.values(); }              // (C)

  private:
    // The grid's token at a time step (0 to tokensPerWindow - 1) and frequency row.
    const float* token(int time, int frequencyRow) const;
    // Row `row` of the head's inputs, from the channel `channel` on, is set to C values.
    void setInputs(std::int64_t row, std::int64_t channel, const float* values);
    void gatherNeighbours();
    void sumFrequencyRows();
    void averageTokens();

    const Config& config_;
    const float* gridTokens_;
    tensor::Number number_; // of inputs_
    tensor::AlignedVector<std::byte> inputs_;
    std::int64_t rowLength_; // of inputs_, in numbers
    tensor::Tensor logits_;
    tensor::Tensor tokens_;
    tensor::Tensor clipwise_;
    tensor::Tensor latent_;
    tensor::Tensor sums_; // (C), over frequency rows
    tensor::LinearCall head_;
};

} // namespace earshot::model
