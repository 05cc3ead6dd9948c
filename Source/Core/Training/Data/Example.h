// An example of training: one window of log-mel frames with its labels. A plain value.
#pragma once

#include "Core/Frontend/LogMelSettings.h"
#include "Core/Model/Config.h"
#include "Core/Training/Data/ClipActivity.h"
#include "Core/Training/Data/DataSet.h"
#include "Core/Training/Data/TeacherTable.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace earshot::frontend {
class LogMel;
}

namespace earshot::training {

// SpecAugment (Park et al. 2019): a band of frames or of mel bands that is hidden from the network.
struct Stripe {
    bool inTime = true; // frames; false: mel bands
    int first = 0;
    int count = 0;
};

// Rows of the recordings that a sound is made of: one, or two that are layered. Null: no teacher knows it.
using Teachers = std::array<const TeacherRow*, 2>;

// A sound of which a teacher knows the recording.
struct TaughtSound {
    Teachers teachers{};
    std::vector<int> steps; // of the window in which it sounds, ascending
};

struct Example {
    std::vector<float> logMel; // (windowFrames, melBands) dB, before band normalisation
    // Strong labels: (stepsPerWindow, classes), 0 to 1. Weak labels: (1, classes), of the whole window.
    std::vector<float> targets;
    bool weak = false;
    // (classes): 0 if it is not known whether a class sounds, else 1; empty: all are known.
    std::vector<float> known;
    std::vector<Stripe> stripes;
    std::vector<TaughtSound> taught;
};

// A seed that is the same on every machine, for one purpose at one place of the training. So runs can be
// repeated and resumed without saving the state of a generator. It seeds a std::mt19937_64 or is used
// directly.
std::uint64_t seedFor(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index);

// The frontend and the window for which examples are made. A plain value: any thread.
struct ExampleShape {
    // Converts implicitly, so that a model's configuration can be passed as a shape.
    ExampleShape(const model::Config& config); // NOLINT(google-explicit-constructor)

    frontend::LogMelSettings frontend; // `filters`: a checkpoint's own matrix, if it has one
    int windowFrames = 1024;
    int framesPerToken = 32;

    int tokens() const { return windowFrames / framesPerToken; }
    std::int64_t windowSamples() const { return std::int64_t{windowFrames} * frontend.hopSize; }
    std::int64_t tokenSamples() const { return std::int64_t{framesPerToken} * frontend.hopSize; }
};

// Sets logMel to the first windowFrames frames, (windowFrames, melBands), of a window's samples.
// `extractor` has shape.frontend and is reset.
void extractWindow(const ExampleShape& shape, frontend::LogMel& extractor, std::span<const float> samples,
                   std::vector<float>& logMel);

// The source of training examples: a scene mixer, recordings, or both. Example `index` of a source is always
// the same, for every caller and in every order. So training is repeatable, and any thread may call make() at
// any time, each with a Maker of its own.
class ExampleMaker {
  public:
    virtual ~ExampleMaker() = default;
    // Overwrites `example` and reuses its memory. One thread at a time for each maker.
    virtual void make(std::uint64_t index, Example& example) = 0;
};

class ExampleSource {
  public:
    virtual ~ExampleSource() = default;
    virtual std::unique_ptr<ExampleMaker> newMaker() const = 0;
};

// The network's targets: one value for each token and class. Pure functions: any thread.
constexpr int noLabel = -1;     // a sound of no class
constexpr int teacherOnly = -2; // a sound without labels: a teacher alone names it
struct Sounding {
    Activity span; // samples of the window or scene
    int label = 0; // or noLabel, teacherOnly: sounds that a teacher knows
    Teachers teachers{};
};

struct TokenGrid {
    int tokens = 32;
    std::int64_t tokenSamples = 10240;
    int sampleRate = 32000; // Hz
};

// Sets targets, (tokens, classes): 1 if a stretch of the class covers the token for at least 80 ms, half of
// the token or half of the stretch, whichever is least, else 0. Parts of stretches outside the window do not
// count. Where a sound that a teacher knows covers a token, its target is (1 - softShare) times this one plus
// softShare times the teacher's, and the teacher's alone if nobody labelled the sound; of several sounds the
// maximum counts.
void setTokenTargets(std::span<const Sounding> soundings, const TokenGrid& grid, int classes,
                     std::vector<float>& targets, float softShare = 0.0f);

// Sets `taught`: the sounds that a teacher knows, with the tokens that they cover as above.
void setTaught(std::span<const Sounding> soundings, const TokenGrid& grid, std::vector<TaughtSound>& taught);

// By onset; stretches of a class less than gapSeconds apart are joined.
std::vector<LabelledSpan> annotationsOf(std::span<const Sounding> soundings, int sampleRate,
                                        double gapSeconds);

} // namespace earshot::training
