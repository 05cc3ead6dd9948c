// The heads of published models, one step for each column of the last grid. TSCAM (token-semantic module,
// HTS-AT section 2.3) regroups the last grid's rows as time segments x frequency rows into (C, frequencyRows,
// gridColumns). A convolution with (frequencyRows, 3), padding (0, 1), gives one logit per step and class.
// Without TSCAM (HeadKind::pooled) a linear layer reads the mean token (clip) and, per time step, the sum
// over frequency rows (framewise), as the reference does. One thread at a time; allocates nothing in run().
#pragma once

#include "Core/Model/Network/Head.h"
#include "Core/Tensor/AlignedVector.h"

namespace earshot::model {

class EventHead final : public Head {
  public:
    static constexpr int kernelWidth = 3; // tokens

    // Rearranges PyTorch's (classes, C, rows, 3) to (classes, rows, 3, C), so that run() copies whole tokens.
    static tensor::Tensor arrangeKernel(const Config& config, const tensor::Tensor& kernel);

    // tokens: (grid * grid, C) after the final norm. scratch: oneDNN's. All references outlive this object.
    EventHead(const NetworkWeights& weights, const Config& config, const float* tokens, float* scratch);

    void classInputs(std::span<float> inputs) const override;

  private:
    void computeLogits() override;
    const float* token(int time, int frequencyRow) const;
    // Writes C values to row `row` of the head's inputs, from column `channel` on.
    void setRow(std::int64_t row, std::int64_t channel, const float* values);
    void gatherNeighbours();
    void sumFrequencyRows();

    const int last_;        // the last stage
    tensor::Number number_; // of inputs_
    tensor::AlignedVector<std::byte> inputs_;
    std::int64_t rowLength_; // of inputs_, in numbers
    tensor::Tensor sums_;    // (C), over frequency rows
    tensor::LinearCall head_;
};

} // namespace earshot::model
