// Runs a network over sounds with known events: recordings, mixed scenes, and noise without any. For `earshot
// evaluate`, and for the scores and the card of a training. The path is that of `earshot analyze`
// (detection::Analyzer), so the scores are those of the product. One thread at a time for each model; the
// calling thread sets the network's thread count.
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

// The hop: a quarter of a window as in `earshot analyze` (four windows cover each column), or a whole window,
// which is four times as fast.
enum class Pace { quarterWindows, wholeWindows };

class Listener {
  public:
    // model: outlives this, and is used by nothing else meanwhile. frontend: the one it was trained with
    // (that of ExampleShape for a config, detection::logMelSettings() for a checkpoint).
    Listener(detection::TokenModel& model, frontend::LogMelSettings frontend,
             Pace pace = Pace::quarterWindows);
    // Windows advance by this many tokens, and so many run at once, on threads of their own. (A pass that
    // runs on several threads itself keeps all of them busy while it waits.) Throws earshot::Error if that
    // leaves gaps.
    Listener(detection::TokenModel& model, frontend::LogMelSettings frontend, int hopTokens, int threads = 1);

    // Mono samples at the model's rate -> a recording without annotations.
    evaluation::Scored listen(std::span<const float> samples);

    // For other ways to feed it, such as detection::analyzeFile(). heard() then returns the last recording.
    detection::Analyzer& analyzer() { return analyzer_; }
    evaluation::Scored heard() const;
    int sampleRate() const { return sampleRate_; }

  private:
    int sampleRate_;
    detection::Analyzer analyzer_;
};

// Called after each recording. Returning false stops there, and the recordings so far are returned.
using ValidationProgress = std::function<bool(std::size_t done, std::size_t total)>;

// Runs the model over scenes 0, 1, ... of the mixer (SceneSettings::seconds long). classOf: the model's class
// for each label of the mixer's data; -1 if it has none (its sounds are not annotated); empty if both have
// the same classes.
std::vector<evaluation::Scored> scoreScenes(Listener& listener, const SceneMixer& mixer, std::size_t count,
                                            std::span<const int> classOf = {},
                                            const ValidationProgress& progress = {});

// Recordings of 30 s without any sound that a class could name, by kind in turn: white, pink and brown noise,
// mains hum, silence, at levels from -60 to -14 dBFS RMS. The same seed gives the same recordings everywhere.
inline constexpr double noiseSeconds = 30.0;
std::span<const char* const> noiseKinds(); // recording i is of kind i % size
std::size_t noiseCount(double hours);      // recordings that make this many hours, of every kind alike
std::vector<float> makeNoise(std::size_t index, int sampleRate, std::uint64_t seed);
std::vector<evaluation::Scored> scoreNoise(Listener& listener, double hours, std::uint64_t seed,
                                           const ValidationProgress& progress = {});

} // namespace earshot::training
