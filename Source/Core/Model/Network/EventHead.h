// The head: turns the encoder's tokens into probabilities of classes over time and of the whole clip.
// TSCAM (token-semantic module, HTS-AT section 2.3) regroups the last grid's rows as time segments x
// frequency rows into (C, frequencyRows, tokensPerWindow). A convolution with (frequencyRows, 3), padding (0,
// 1), gives one logit per token and class; the clip's probability is the sigmoid of the mean logit. Without
// TSCAM a linear layer reads the mean token (clip) and, per time step, the sum over frequency rows
// (framewise), as the reference does. One thread at a time; allocates nothing in run().
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
    // Rearranges PyTorch's (classes, C, rows, 3) to (classes, rows, 3, C), so that run() copies whole tokens.
    static tensor::Tensor arrangeKernel(const Config& config, const tensor::Tensor& kernel);

    // tokens: (grid * grid, C) after the final norm. scratch: oneDNN's. All references outlive this object.
    EventHead(const NetworkWeights& weights, const Config& config, const float* tokens, float* scratch);

    void run();

    std::span<const float> logits() const { return logits_.values(); } // (tokens [+ clip], classes)
    // (tokensPerWindow, classes)
    std::span<const float> tokenProbabilities() const { return tokens_.values(); }
    std::span<const float> clipProbabilities() const { return clipwise_.values(); } // (classes)
    std::span<const float> latent() const { return latent_.values(); }              // (C)

  private:
    // The grid's token at a time step (0 to tokensPerWindow - 1) and frequency row.
    const float* token(int time, int frequencyRow) const;
    // Writes C values to row `row` of the head's inputs, from column `channel` on.
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
