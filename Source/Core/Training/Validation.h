// What a network makes of sounds whose truth is known: recordings, mixed scenes, and noise in which there is
// nothing to hear. For `earshot evaluate`, and for the scores and the model card of a training. The same path as
// `earshot analyze` takes (detection::Analyzer), so that scores are those of the product.
// One thread at a time per model; the thread that calls decides the network's threads.
#pragma once

#include "Core/Detection/Analyzer.h"
#include "Core/Detection/TokenModel.h"
#include "Core/Evaluation/Recording.h"
#include "Core/Frontend/LogMelSettings.h"
#include "Core/Model/Config.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace earshot::training {

// The frontend a network of this config is trained with. A checkpoint with a mel matrix of its own has another
// (detection::logMelSettings).
frontend::LogMelSettings logMelSettings(const model::Config& config);

// How far windows advance: a quarter of one as `earshot analyze` does (four windows meet on a column), or
// whole ones, four times as fast.
enum class Pace { quarterWindows, wholeWindows };

class Listener {
  public:
    // model: outlives this, and hears nothing else meanwhile.
    Listener(detection::TokenModel& model, frontend::LogMelSettings frontend,
             Pace pace = Pace::quarterWindows);
    // Windows advance by that many tokens. Throws earshot::Error when that leaves gaps.
    Listener(detection::TokenModel& model, frontend::LogMelSettings frontend, int hopTokens);

    // Mono samples at the model's rate -> a recording with nothing annotated.
    evaluation::Scored listen(std::span<const float> samples);

    // For other ways to feed it, such as detection::analyzeFile(); then heard() is what it heard last.
    detection::Analyzer& analyzer() { return analyzer_; }
    evaluation::Scored heard() const;
    int sampleRate() const { return sampleRate_; }

  private:
    int sampleRate_;
    detection::Analyzer analyzer_;
};

// Called after each recording; returning false stops there, and what was done is returned.
using ValidationProgress = std::function<bool(std::size_t done, std::size_t total)>;

// Recordings in which nothing sounds that a class could name, of 30 s each, by kind in turn: white, pink and
// brown noise, mains hum, silence; at levels from -60 to -14 dBFS RMS. The same for the same seed, everywhere.
inline constexpr double noiseSeconds = 30.0;
std::span<const char* const> noiseKinds();                  // recording i is of kind i % size
std::size_t noiseCount(double hours);                       // recordings that make so many hours, every kind alike
std::vector<float> makeNoise(std::size_t index, int sampleRate, std::uint64_t seed);
std::vector<evaluation::Scored> scoreNoise(Listener& listener, double hours, std::uint64_t seed,
                                           const ValidationProgress& progress = {});

} // namespace earshot::training
