// What a network makes of sounds whose truth is known: recordings, mixed scenes, and noise in which there is
// nothing to hear. For `earshot evaluate`, and for the scores and the model card of a training. The same path
// as `earshot analyze` takes (detection::Analyzer), so that scores are those of the product. One thread at a
// time per model; the thread that calls decides the network's threads.
#pragma once

#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Detection/Windows/TokenModel.h"
#include "Core/Evaluation/Recording.h"
#include "Core/Frontend/LogMelSettings.h"
#include "Core/Training/Scenes/SceneMixer.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace earshot::training {

// How far windows advance: a quarter of one as `earshot analyze` does (four windows meet on a column), or
// whole ones, four times as fast.
enum class Pace { quarterWindows, wholeWindows };

class Listener {
  public:
    // model: outlives this, and hears nothing else meanwhile. frontend: the one it was trained with
    // (ExampleShape has a config's, detection::logMelSettings a checkpoint's).
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

// Scenes 0, 1, ... of the mixer (SceneSettings::seconds long) as the model hears them. classOf: the model's
// class of each label of the mixer's data, -1 where it has none (its sounds are not annotated); empty where
// both have the same.
std::vector<evaluation::Scored> scoreScenes(Listener& listener, const SceneMixer& mixer, std::size_t count,
                                            std::span<const int> classOf = {},
                                            const ValidationProgress& progress = {});

// Recordings in which nothing sounds that a class could name, of 30 s each, by kind in turn: white, pink and
// brown noise, mains hum, silence; at levels from -60 to -14 dBFS RMS. The same for the same seed,
// everywhere.
inline constexpr double noiseSeconds = 30.0;
std::span<const char* const> noiseKinds(); // recording i is of kind i % size
std::size_t noiseCount(double hours);      // recordings that make so many hours, every kind alike
std::vector<float> makeNoise(std::size_t index, int sampleRate, std::uint64_t seed);
std::vector<evaluation::Scored> scoreNoise(Listener& listener, double hours, std::uint64_t seed,
                                           const ValidationProgress& progress = {});

} // namespace earshot::training
