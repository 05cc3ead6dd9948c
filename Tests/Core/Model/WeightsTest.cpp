#include "Core/Model/Weights.h"

#include "Core/Base/Error.h"
#include "Core/Base/Stop.h"
#include "Core/Detection/Windows/CalibrationAudio.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Paths.h"
#include "Support/ProceduralWeights.h"
#include "Support/Skip.h"

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

using namespace earshot;

namespace {

// A good checkpoint with one thing wrong.
class Damaged : public model::Checkpoint {
  public:
    explicit Damaged(std::unique_ptr<Checkpoint> good)
        : good_(std::move(good)) {
        file_ = "model.safetensors";
        format_ = good_->format();
        metadata_ = good_->metadata();
        tensors_ = good_->tensors();
    }

    void remove(const std::string& name) { tensors_.erase(name); }
    void reshape(const std::string& name, tensor::Shape shape) { tensors_.at(name).shape = std::move(shape); }
    void poison(const std::string& name) { poisoned_ = name; }
    void negate(const std::string& name) { negated_ = name; }

    tensor::Tensor read(const std::string& name) override {
        auto values = good_->read(name);
        if (name == poisoned_) values.values().back() = std::numeric_limits<float>::quiet_NaN();
        if (name == negated_)
            for (auto& v : values.values()) v = -v;
        return values;
    }

  private:
    std::unique_ptr<Checkpoint> good_;
    std::string poisoned_, negated_;
};

Damaged tiny() { return Damaged(test::proceduralCheckpoint(test::tinyModel())); }

} // namespace

TEST_CASE("a missing tensor is named with the shape it should have", "[unit]") {
    auto checkpoint = tiny();
    checkpoint.remove("layers.1.blocks.0.mlp.fc2.bias");
    REQUIRE_THROWS_WITH(
        model::Weights(checkpoint),
        ContainsSubstring("tensor layers.1.blocks.0.mlp.fc2.bias: expected (48), found none"));
}

TEST_CASE("a tensor of another shape is named with both shapes", "[unit]") {
    auto checkpoint = tiny();
    checkpoint.reshape("layers.2.downsample.norm.weight", {100});
    REQUIRE_THROWS_WITH(
        model::Weights(checkpoint),
        ContainsSubstring("tensor layers.2.downsample.norm.weight: expected (384), found (100)"));
}

TEST_CASE("weights that are not numbers are refused", "[unit]") {
    auto checkpoint = tiny();
    checkpoint.poison("layers.0.blocks.1.attn.qkv.weight");
    REQUIRE_THROWS_WITH(model::Weights(checkpoint), ContainsSubstring("layers.0.blocks.1.attn.qkv.weight"));
    auto variance = tiny();
    variance.negate("bn0.running_var");
    REQUIRE_THROWS_WITH(model::Weights(variance), ContainsSubstring("bn0.running_var"));
}

TEST_CASE("instances share a loaded model, and nothing keeps it when they are gone", "[unit]") {
    const auto file = test::defaultModelFile();
    auto first = model::loadWeights(file);
    REQUIRE(model::loadWeights(file) == first);
    REQUIRE(model::loadWeights(file.parent_path() / ".." / "Models" / file.filename()) == first);
    const std::weak_ptr<const model::Weights> watched = first;
    first.reset();
    REQUIRE(watched.expired());
    REQUIRE(model::loadWeights(file)->config().classes == 82);
    REQUIRE_THROWS_AS(model::loadWeights("no such model.safetensors"), Error);
}

TEST_CASE("who waits for weights that another thread reads gets its copy, or reads them when that one stops",
          "[unit][threads]") {
    const auto file = test::defaultModelFile();
    constexpr auto precision = model::Precision::float32;
    for (int round = 0; round < 20; ++round) {
        StopSource stopped;
        std::shared_ptr<const model::Weights> first, second, third;
        bool given = false;
        std::thread one([&] {
            try {
                first = model::loadWeights(file, precision, {}, stopped.token());
            } catch (const Stopped&) {
                given = true;
            }
        });
        std::thread two([&] { second = model::loadWeights(file, precision); });
        std::thread three([&] { third = model::loadWeights(file, precision); });
        std::this_thread::sleep_for(std::chrono::milliseconds(round));
        stopped.stop();
        for (auto* thread : {&one, &two, &three}) thread->join();
        REQUIRE(second != nullptr);
        REQUIRE(second == third);
        REQUIRE((given || first == second));
    }
}

TEST_CASE("weights that cannot be read are tried again, and hold up no other file", "[unit][threads]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "late.safetensors";
    const auto model = test::defaultModelFile();
    test::writeBytes(file, "not yet");
    REQUIRE_THROWS_AS(model::loadWeights(file), Error);
    std::filesystem::copy_file(model, file, std::filesystem::copy_options::overwrite_existing);
    REQUIRE(model::loadWeights(file) != nullptr);

    // While one waits for its calibration, others come and go.
    if (model::choosePrecision(model::Precision::int8).precision != model::Precision::int8)
        return test::skip("this processor does not run int8");
    std::atomic<bool> calibrates{false}, resume{false};
    const auto calibrate = [&](const model::Weights& weights) {
        calibrates = true;
        while (!resume) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return detection::calibrationWindows(weights);
    };
    std::thread slow([&] { model::loadWeights(file, model::Precision::int8, calibrate); });
    while (!calibrates) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(model::loadWeights(model) != nullptr);
    StopSource stopped;
    std::thread stops([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        stopped.stop();
    });
    REQUIRE_THROWS_AS(model::loadWeights(file, model::Precision::int8, calibrate, stopped.token()), Stopped);
    resume = true;
    slow.join();
    stops.join();
}
