// One running instance of the network: the buffers of a pass, bound to shared weights. It takes log-mel
// frames and returns probabilities. After construction Earshot's code allocates only in expectHop() and when
// the thread count grows. One thread at a time; the thread that calls run() decides how many threads oneDNN
// uses (tensor::setThreadCount in Tensor/Threads.h).
#pragma once

#include "Core/Model/Weights.h"

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

namespace earshot::model {

// The output of one pass. The spans point into the Network and are valid until its next run.
struct PassOutput {
    std::span<const float> tokens;   // (stepsPerWindow, classes) probabilities
    std::span<const float> clipwise; // (classes) probabilities of the whole window
    std::span<const float> latent;   // (latentDim)
};

class Network {
  public:
    explicit Network(std::shared_ptr<const Weights> weights);
    ~Network();
    Network(Network&&) noexcept;
    Network& operator=(Network&&) noexcept;

    const Weights& weights() const;
    std::shared_ptr<const Weights> sharedWeights() const;
    const Config& config() const;

    // logMel: (frames, melBands) in dB before batch normalisation, 1 <= frames <= windowFrames. Fewer than
    // windowFrames are stretched to it (bicubic in time, as the reference). Throws earshot::Error if the
    // output holds values that are no numbers.
    PassOutput run(std::span<const float> logMel);
    // The last pass's tokens over time, the means of the final normed tokens over frequency: their mean is
    // PassOutput::latent. frames: (gridColumns, latentDim).
    void frameTokens(std::span<float> frames) const;
    // What the last pass's classes were computed from, as the rows of the head's last layer read it. inputs:
    // (stepsPerWindow, classInputCount()). Not with int8.
    std::int64_t classInputCount() const;
    void classInputs(std::span<float> inputs) const;
    // Announces that windows will advance by `hop` frames (0, as at first: they do not overlap) and tile a
    // stretch of `stretch` frames. If the first stage can then reuse strips (StripStage.h), run() keeps their
    // results. With the same hop and stretch, outputs are the same to the bit whatever ran before; with
    // others they are the same up to rounding. May allocate.
    void expectHop(std::int64_t hop, std::int64_t stretch);

    // A pass runs these steps in order. The benchmark times each step; tests read each result.
    struct Step {
        std::string name; // "stage0.block1.attention"
        std::function<void()> run;
        std::string resultName;        // the reference's name for the result ("stage0.block1"), or empty
        std::span<const float> result; // valid until a later step overwrites it
    };
    std::span<const Step> steps() const;
    // Sets the first step's input. logMel: as for run().
    void setInput(std::span<const float> logMel);

    std::size_t workspaceBytes() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::model
