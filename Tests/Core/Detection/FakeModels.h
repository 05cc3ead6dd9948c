// Networks in miniature for the tests of what is built on one, and what they are asked for.
#pragma once

#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Detection/Windows/TokenModel.h"
#include "Core/Frontend/LogMel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

namespace earshot::fake {

inline constexpr std::int64_t samplesPerColumn = 32 * 320;

class FakeModel : public detection::TokenModel {
  public:
    int melBands() const override { return 64; }
    int windowFrames() const override { return 1024; }
    int framesPerToken() const override { return 32; }
    int classes() const override { return 2; }

  protected:
    // Mean level over a token's frames: 0 for -100 dB, 1 for +100 dB.
    static float level(std::span<const float> logMel, std::size_t token) {
        const auto frames = logMel.subspan(token * 32 * 64, 32 * 64);
        const double mean =
            std::accumulate(frames.begin(), frames.end(), 0.0) / static_cast<double>(frames.size());
        return static_cast<float>(std::clamp((mean + 100.0) / 200.0, 0.0, 1.0));
    }
};

// A token says how loud its own frames are; it knows nothing of its window.
class LevelModel : public FakeModel {
  public:
    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        for (std::size_t k = 0; k < 32; ++k) {
            probabilities[2 * k] = level(logMel, k);
            probabilities[2 * k + 1] = 1.0f - level(logMel, k);
        }
    }
};

// Counts its passes, whichever model of a pool runs them; some take longer than those that come after them.
template <typename Model>
class CountedModel : public Model {
  public:
    explicit CountedModel(std::shared_ptr<std::atomic<int>> passes)
        : passes_(std::move(passes)) {}

    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        if (++*passes_ % 3 == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        Model::run(logMel, probabilities);
    }
    std::unique_ptr<detection::TokenModel> clone() const override {
        return std::make_unique<CountedModel>(passes_);
    }

  private:
    std::shared_ptr<std::atomic<int>> passes_;
};

// A token depends on where in its window it lies and on every other token, as the real network's do.
class ContextModel : public FakeModel {
  public:
    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        float context = 0.0f;
        for (std::size_t k = 0; k < 32; ++k)
            context += level(logMel, k) * static_cast<float>(k % 5 + 1) / 96.0f;
        for (std::size_t k = 0; k < 32; ++k) {
            probabilities[2 * k] = 0.5f * level(logMel, k) + 0.5f * context;
            probabilities[2 * k + 1] = static_cast<float>(k + 1) / 33.0f * (1.0f - context);
        }
    }
};

template <typename Model>
detection::Analyzer analyzer(detection::AnalyzerSettings settings) {
    return {std::make_unique<Model>(), frontend::LogMelSettings{}, settings};
}

inline std::vector<float> columnsOf(const detection::Timeline& timeline, std::int64_t first,
                                    std::int64_t end) {
    std::vector<float> values;
    for (std::int64_t i = first; i < end; ++i) {
        const auto column = timeline.column(i);
        values.insert(values.end(), column.begin(), column.end());
    }
    return values;
}

inline std::vector<float> allColumns(const detection::Analyzer& analyzer) {
    return columnsOf(analyzer.timeline(), 0, analyzer.timeline().columns());
}

template <typename Model>
std::vector<float> analyse(detection::AnalyzerSettings settings, std::span<const float> clip) {
    auto whole = analyzer<Model>(settings);
    whole.push(clip);
    whole.finish();
    return allColumns(whole);
}

inline constexpr std::array modes = {detection::Mode::automatic, detection::Mode::crop,
                                     detection::Mode::repeat};

} // namespace earshot::fake
