// What the network is shown in training: one window of log-mel frames with what sounds in it, when.
// A plain value.
#pragma once

#include "Core/Frontend/LogMelSettings.h"
#include "Core/Model/Config.h"
#include "Core/Training/Data/ClipActivity.h"
#include "Core/Training/Data/DataSet.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace earshot::frontend {
class LogMel;
}

namespace earshot::training {

// SpecAugment (Park et al. 2019): a band of frames or of mel bands that is put out of the network's sight.
struct Stripe {
    bool inTime = true; // frames; else mel bands
    int first = 0;
    int count = 0;
};

struct Example {
    std::vector<float> logMel; // (windowFrames, melBands) dB, before band normalisation
    // Strong labels: (tokensPerWindow, classes), 0 to 1. Weak labels: (1, classes), of the whole window.
    std::vector<float> targets;
    bool weak = false;
    // (classes): 0 where it is not known whether a class sounds, else 1; empty: all known.
    std::vector<float> known;
    std::vector<Stripe> stripes;
};

// One value, the same on every machine, for a purpose at a place in the training: what makes runs repeatable
// and resumable without saving any generator's state. Seeds a std::mt19937_64 or is used as it is.
std::uint64_t seedFor(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index);

// What an example is made for: the log-mel frontend and the window of a model. A plain value: any thread.
struct ExampleShape {
    // Converts: every place that wants a shape takes a model's configuration.
    ExampleShape(const model::Config& config); // NOLINT(google-explicit-constructor)

    frontend::LogMelSettings frontend; // set `filters` to a checkpoint's own matrix when it has one
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

// Where training gets its examples: a scene mixer, recordings, or both. Example `index` of a source is always
// the same, whoever asks and in which order, so training is repeatable and any thread may call make() at any
// time (each with a Maker of its own).
class ExampleMaker {
  public:
    virtual ~ExampleMaker() = default;
    // Overwrites `example`, reusing its memory. One thread at a time per maker.
    virtual void make(std::uint64_t index, Example& example) = 0;
};

class ExampleSource {
  public:
    virtual ~ExampleSource() = default;
    virtual std::unique_ptr<ExampleMaker> newMaker() const = 0;
};

// What sounds when, as the network is asked for it: one value per token and class. Pure functions: any
// thread.
struct Sounding {
    Activity span; // samples of the window or scene
    int label = 0;
};

struct TokenGrid {
    int tokens = 32;
    std::int64_t tokenSamples = 10240;
    int sampleRate = 32000; // Hz
};

// Sets targets, (tokens, classes), to 1 where a stretch of the class lies in the token for at least 80 ms or
// half of the stretch, whichever is less, else to 0. Parts of stretches outside the window do not count.
void setTokenTargets(std::span<const Sounding> soundings, const TokenGrid& grid, int classes,
                     std::vector<float>& targets);

// By onset; stretches of a class that are less than gapSeconds apart are one.
std::vector<LabelledSpan> annotationsOf(std::span<const Sounding> soundings, int sampleRate,
                                        double gapSeconds);

} // namespace earshot::training
