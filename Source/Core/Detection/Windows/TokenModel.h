// The network as the detector sees it: one pass over a window of log-mel frames gives one probability per
// token and class. NetworkTokenModel.h wraps the real network; tests use simple functions instead.
// One thread at a time uses a model.
#pragma once

#include "Core/Detection/Windows/ColumnScorer.h"

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
    // A token's numbers: the probabilities of its classes, or what scorer() makes probabilities of.
    virtual int values() const { return classes(); }
    virtual std::shared_ptr<const ColumnScorer> scorer() const { return nullptr; }
    // Whether a recording of any length below a window is repeated to fill one, as the model was trained.
    virtual bool repeatsShortAudio() const { return false; }

    // logMel: (windowFrames, melBands) in dB, before batch normalisation.
    // tokens: (windowFrames / framesPerToken, values). Probabilities are 0 to 1, other numbers are within
    // float16's range.
    // The same input gives the same output, until expectHop() announces another hop or stretch.
    virtual void run(std::span<const float> logMel, std::span<float> tokens) = 0;

    // Announces that windows will advance by `hop` frames and tile a stretch of `stretch` frames, so that the
    // model may cache what consecutive windows share. Another hop or stretch may change results by float32's
    // rounding.
    virtual void expectHop(int /*hop*/, int /*stretch*/) {}

    // Returns a copy for another thread that gives the same results once it gets the same expectHop() call;
    // null if the model cannot be copied.
    virtual std::unique_ptr<TokenModel> clone() const { return nullptr; }
};

} // namespace earshot::detection
