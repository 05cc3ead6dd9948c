// A tiny network and a source of clear examples, for tests of training.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Training/Data/Example.h"

#include <cstdint>
#include <memory>
#include <random>

namespace earshot::test {

// 16 bands, windows of 256 frames in 32 tokens of 8; 3 classes.
inline model::Config tinyTrainingConfig() {
    model::Config config;
    config.sampleRate = 8000;
    config.fftSize = 256;
    config.hopSize = 80;
    config.melBands = 16;
    config.highHz = 4000;
    config.imageSize = 64;
    config.embedDim = 16;
    config.depths = {1, 1};
    config.heads = {2, 2};
    config.attentionSide = 4;
    config.classes = 3;
    return config;
}

// A class is loud in some mel bands over some tokens; everything else is noise at -60 dB.
class BandExamples : public training::ExampleSource {
  public:
    // period: the number of examples after which they repeat; 0: never.
    explicit BandExamples(const model::Config& config, std::uint64_t period = 0)
        : config_(config)
        , period_(period) {}

    std::unique_ptr<training::ExampleMaker> newMaker() const override {
        return std::make_unique<Maker>(config_, period_);
    }

  private:
    class Maker : public training::ExampleMaker {
      public:
        Maker(const model::Config& config, std::uint64_t period)
            : config_(config)
            , period_(period) {}

        void make(std::uint64_t index, training::Example& example) override {
            if (period_ > 0) index %= period_;
            std::mt19937_64 generator(training::seedFor(99, 1, index));
            const auto below = [&](int limit) {
                return static_cast<int>(generator() % static_cast<unsigned>(limit));
            };
            const int bands = config_.melBands;
            const int tokens = config_.stepsPerWindow();
            const int frames = config_.framesPerToken();
            example = {};
            example.logMel.resize(static_cast<std::size_t>(config_.windowFrames() * bands));
            for (float& value : example.logMel) value = -60.0f + 0.01f * static_cast<float>(below(400));
            example.targets.assign(static_cast<std::size_t>(tokens * config_.classes), 0.0f);
            const int label = below(config_.classes);
            const int first = below(tokens - 8);
            const int count = 4 + below(4);
            const int width = bands / config_.classes;
            for (int token = first; token < first + count; ++token) {
                example.targets[static_cast<std::size_t>(token * config_.classes + label)] = 1.0f;
                for (int frame = token * frames; frame < (token + 1) * frames; ++frame)
                    for (int band = label * width; band < (label + 1) * width; ++band)
                        example.logMel[static_cast<std::size_t>(frame * bands + band)] += 40.0f;
            }
        }

      private:
        const model::Config config_;
        std::uint64_t period_;
    };

    model::Config config_;
    std::uint64_t period_;
};

} // namespace earshot::test
