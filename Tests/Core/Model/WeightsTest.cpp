#include "Core/Model/Weights.h"

#include "Core/Base/Error.h"
#include "Core/Model/Checkpoint.h"
#include "Support/Catch.h"
#include "Support/Paths.h"
#include "Support/ProceduralWeights.h"

#include <limits>

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
    const auto file = test::sourceDirectory() / "Models" / "earshot-default.safetensors";
    auto first = model::loadWeights(file);
    REQUIRE(model::loadWeights(file) == first);
    REQUIRE(model::loadWeights(file.parent_path() / ".." / "Models" / file.filename()) == first);
    const std::weak_ptr<const model::Weights> watched = first;
    first.reset();
    REQUIRE(watched.expired());
    REQUIRE(model::loadWeights(file)->config().classes == 41);
    REQUIRE_THROWS_AS(model::loadWeights("no such model.safetensors"), Error);
}
