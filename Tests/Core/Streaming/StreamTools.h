// Shared by the tests of live streams: a small model whose speed the test sets, and waiting.
#pragma once

#include "Core/Streaming/Session.h"
#include "Support/Waiting.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace earshot::test {

// A token holds the level of its own frames (class 0) and its place in its window (class 1).
class LevelModel : public detection::TokenModel {
  public:
    using Hook = std::function<void()>;
    explicit LevelModel(Hook beforePass = {})
        : beforePass_(std::move(beforePass)) {}

    int melBands() const override { return 64; }
    int windowFrames() const override { return 1024; }
    int framesPerToken() const override { return 32; }
    int classes() const override { return 2; }
    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        if (beforePass_) beforePass_();
        for (std::size_t k = 0; k < 32; ++k) {
            double sum = 0.0;
            for (const float value : logMel.subspan(k * 32 * 64, 32 * 64)) sum += value;
            const double level = std::clamp((sum / (32.0 * 64.0) + 100.0) / 200.0, 0.0, 1.0);
            probabilities[2 * k] = static_cast<float>(level);
            probabilities[2 * k + 1] = static_cast<float>(k + 1) / 33.0f;
        }
    }

  private:
    Hook beforePass_;
};

inline std::shared_ptr<const detection::Labels> labelsOf(const std::vector<std::string>& names) {
    return std::make_shared<detection::Labels>(
        detection::Labels::read({{"earshot.labels", nlohmann::json(names).dump()}}, "fake.safetensors",
                                static_cast<int>(names.size())));
}

inline streaming::ModelLoader levelModel(LevelModel::Hook beforePass = {}, std::string name = "level") {
    return [=] {
        return streaming::LoadedModel{.network = std::make_unique<LevelModel>(beforePass),
                                      .frontend = {},
                                      .labels = labelsOf({"Loud", "Late"}),
                                      .name = name,
                                      .notice = {}};
    };
}

inline std::unique_ptr<streaming::History> historyOf(const streaming::Session& session) {
    auto history = std::make_unique<streaming::History>();
    session.copySince(*history);
    return history;
}

inline std::int64_t columnsOf(const streaming::Session& session) {
    const auto history = historyOf(session);
    return history->timeline ? history->timeline->columns() : 0;
}

inline std::vector<float> allColumns(const detection::Timeline& timeline) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < timeline.columns(); ++i) {
        const auto column = timeline.column(i);
        values.insert(values.end(), column.begin(), column.end());
    }
    return values;
}

} // namespace earshot::test
