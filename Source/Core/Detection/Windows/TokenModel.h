// What the detector needs of a network: one pass over a window of log-mel frames gives one probability
// per token and class. NetworkTokenModel.h wraps the real network; tests put simple functions in its place.
#pragma once

#include <memory>
#include <span>

namespace earshot::detection {

class TokenModel {
  public:
    virtual ~TokenModel() = default;

    virtual int melBands() const = 0;
    virtual int windowFrames() const = 0;   // log-mel frames of one pass (1024)
    virtual int framesPerToken() const = 0; // (32)
    virtual int classes() const = 0;

    // logMel: (windowFrames, melBands) in dB, before batch normalisation.
    // probabilities: (windowFrames / framesPerToken, classes), each 0 to 1.
    // The same input gives the same output, until expectHop() is told something else.
    virtual void run(std::span<const float> logMel, std::span<float> probabilities) = 0;

    // From now on windows advance by `hop` frames, each a stretch of so many, tiled: what a pass finds may
    // serve the next. Another hop or stretch may change results by float32's rounding.
    virtual void expectHop(int /*hop*/, int /*stretch*/) {}

    // One more that gives the same, once it is told the same hop, for another thread; null where there is
    // only this one.
    virtual std::unique_ptr<TokenModel> another() const { return nullptr; }
};

} // namespace earshot::detection
