// HTS-AT with a backward pass, for a few windows at a time. forward() stores what backward() needs, and
// backward() adds the gradient of every parameter. Mathematically it is the network of Core/Model in training
// mode: batch statistics in the band norm (given by the caller, for the whole batch), SpecAugment's stripes
// after it, and stochastic depth.
//
// Products run on oneDNN, in bfloat16 with float32 accumulation or in float32; the residual stream, norms'
// statistics, softmax and all sums are float32. One thread at a time per object; the thread that calls
// decides oneDNN's thread count (tensor::setThreadCount), and training runs one object per thread with one
// thread each. Reference: Liu et al. 2021 (Swin), Chen et al. 2022 (HTS-AT), Huang et al. 2016 (stochastic
// depth).
#pragma once

#include "Core/Training/Data/Example.h"
#include "Core/Training/Network/ParameterLayout.h"

#include <memory>
#include <span>
#include <vector>

namespace earshot::training {

enum class Arithmetic { float32, bfloat16 };
// The arithmetic that this CPU multiplies fastest: bfloat16 if tensor::hasFastBFloat16(), else float32.
Arithmetic bestArithmetic();

struct NetworkInput {
    std::span<const float> logMel = {};                // (samples, windowFrames, melBands) dB
    std::span<const std::vector<Stripe>> stripes = {}; // one list per sample, or empty: none
    const BandStatistics* statistics = nullptr; // of the whole batch (training) or running (validation)
    float dropPath = 0.0f; // stochastic depth of the last block; earlier blocks have linearly less
    std::span<const std::uint64_t> seeds =
        {}; // one per sample: which blocks drop it; needed when dropPath > 0
};

class TrainingNetwork {
  public:
    // samples: windows in a pass. The layout must outlive this.
    TrainingNetwork(const ParameterLayout& layout, int samples, Arithmetic arithmetic);
    ~TrainingNetwork();

    int samples() const;
    // Parameters in the order of ParameterLayout. They are copied (and rounded) if the arithmetic needs it.
    // They must stay in place until the next call, because norms and biases are not copied.
    void setParameters(std::span<const float> values);

    // Logits (samples, stepsPerWindow, classes), valid until the next forward.
    std::span<const float> forward(const NetworkInput& input);
    // For the last forward: adds to `gradients` (layout.size()). `logitGradients` has the shape of the
    // logits. firstStage: parameters of earlier stages get no gradient (Parameter::stage; -1: all do), and
    // their work is saved. featureGradients: added to the head's gradient of features().back(), with its
    // shape; may be empty.
    void backward(std::span<const float> logitGradients, std::span<float> gradients, int firstStage = -1,
                  std::span<const float> featureGradients = {});
    // The sum of squares of the head's gradient of features().back() in the last backward.
    double headGradientSquares() const;

    // What the head reads in the last forward: for each of model::headStages() its tokens, (samples, grid^2,
    // C). A head alone trains on them.
    std::span<const float* const> features() const;

    struct Impl;

  private:
    int samples_;
    std::unique_ptr<Impl> impl_;
};

// Mean and (biased) variance of each mel band over all given frames: (frames, melBands). Accumulates in
// double: call add() any number of times, then result().
class BandMoments {
  public:
    explicit BandMoments(int melBands);
    void add(std::span<const float> logMel);
    void add(const BandMoments& other);
    BandStatistics result() const;

  private:
    std::vector<double> sums_, squares_;
    std::int64_t frames_ = 0;
};

} // namespace earshot::training
