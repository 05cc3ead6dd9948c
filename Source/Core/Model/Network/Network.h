// One running instance of the network: the buffers of a pass, bound to shared weights.
// Log-mel frames in, probabilities out. Nothing is allocated after construction by Earshot's code.
// One thread at a time; the thread that calls run() decides how many threads oneDNN uses
// (tensor::setThreadCount in Tensor/Threads.h).
#pragma once

#include "Core/Model/Weights.h"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace earshot::model {

// What one pass gives. The spans live in the Network and hold until its next run.
struct PassOutput {
    std::span<const float> tokens;   // (tokensPerWindow, classes) probabilities, one per 32 frames
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
    // windowFrames are stretched to it (bicubic in time, as the reference).
    PassOutput run(std::span<const float> logMel);
    // From now on windows are said to overlap: to advance by `hop` frames, 0 for those that do not (at
    // first), and to be a stretch of so many frames, tiled. Where the first stage then comes apart into
    // strips that come back (StripStage.h), run() keeps what it found for them. For the same hop and stretch
    // results are the same to the bit, whatever ran before; for others, up to rounding. May allocate.
    void expectHop(std::int64_t hop, std::int64_t stretch);

    // A pass is these steps in order. The benchmark times them one by one; tests look at what they leave
    // behind.
    struct Step {
        std::string name; // "stage0.block1.attention"
        std::function<void()> run;
        std::string resultName;        // the reference's name for the result ("stage0.block1"), or empty
        std::span<const float> result; // holds until a later step overwrites it
    };
    std::span<const Step> steps() const;
    // Sets what the first step reads: logMel as for run().
    void setInput(std::span<const float> logMel);

    std::size_t workspaceBytes() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::model
