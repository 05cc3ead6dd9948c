// The backward passes of blocks and mergings against the public implementation of Swin V1 and V2, from the
// first block to the last norm. Its patch embedding of three channels and its pooled head are left out,
// because no network here is trained with them.
#include "Core/Training/Network/TrainedBlock.h"

#include "Core/Model/Network/PositionBias.h"
#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Threads.h"
#include "Core/Training/Network/TrainedMerging.h"
#include "Support/Catch.h"
#include "Support/Golden.h"
#include "Support/SwinPresets.h"

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

using namespace earshot;
using training::Parameter;
using training::ParameterLayout;

namespace {

constexpr int stages = 3, blocksOfStage = 2;

// The encoder from the first block to the last norm, as training runs it.
class TrainedEncoder {
  public:
    TrainedEncoder(const test::SwinPreset& preset, int samples)
        : model_(withTrainedHead(preset))
        , layout_(model_.config)
        , values_(layout_.size())
        , gradients_(layout_.size())
        , scratch_(model_.config, samples)
        , kept_(static_cast<std::size_t>(samples), 1.0f) {
        tensor::setThreadCount(1);
        training::readParameters(*test::proceduralCheckpoint(model_), "", layout_, true, values_);
        for (int stage = 0; stage < stages; ++stage)
            stages_.push_back(std::make_unique<Stage>(layout_, stage, samples, scratch_));
        for (auto& stage : stages_) {
            for (auto& block : stage->blocks) block->setParameters({values_.data(), values_.data()});
            if (stage->merging) stage->merging->setParameters({values_.data(), values_.data()});
        }
    }

    void forward(const std::vector<float>& embedded) {
        stages_.front()->streams.front() = embedded;
        for (std::size_t s = 0; s < stages; ++s) {
            auto& stage = *stages_[s];
            for (std::size_t b = 0; b < blocksOfStage; ++b)
                stage.blocks[b]->forward(stage.streams[b].data(), stage.streams[b + 1].data(),
                                         {kept_, kept_});
            if (stage.merging)
                stage.merging->forward(stage.streams.back().data(), stages_[s + 1]->streams.front().data());
        }
    }

    // normGradient: that of the last norm's result. visit(name, gradient): for what the golden file holds.
    template <typename Visitor>
    void backward(const std::vector<float>& normGradient, const Visitor& visit) {
        const auto& last = *stages_.back();
        const auto channels = layout_.config().latentDim();
        const auto tokens = last.geometry.tokens();
        const auto &gain = layout_.find("norm.weight"), &shift = layout_.find("norm.bias");
        std::vector<float> normed(normGradient.size()), statistics(2 * static_cast<std::size_t>(tokens));
        std::vector<float> stream(normGradient.size());
        const auto& loops = tensor::kernels<float>();
        loops.layerNorm(last.streams.back().data(), nullptr, normed.data(), statistics.data(), tokens,
                        channels, values_.data() + gain.offset, values_.data() + shift.offset, 1e-5f);
        loops.layerNormBackward(last.streams.back().data(), nullptr, statistics.data(), normGradient.data(),
                                stream.data(), tokens, channels, values_.data() + gain.offset,
                                gradients_.data() + gain.offset, gradients_.data() + shift.offset);
        for (int s = stages - 1; s >= 0; --s) {
            auto& stage = *stages_[static_cast<std::size_t>(s)];
            for (int b = blocksOfStage - 1; b >= 0; --b) {
                visit("stage" + std::to_string(s) + ".block" + std::to_string(b), stream);
                stage.blocks[static_cast<std::size_t>(b)]->backward(stream.data(), gradients_);
            }
            if (s == 0) break;
            auto& previous = *stages_[static_cast<std::size_t>(s) - 1];
            std::vector<float> merged(previous.streams.back().size());
            previous.merging->backward(stream.data(), merged.data(), gradients_);
            stream = std::move(merged);
        }
        visit("patch_embed", stream);
    }

    const ParameterLayout& layout() const { return layout_; }
    std::span<const float> gradient(const Parameter& parameter) const {
        return std::span(gradients_).subspan(parameter.offset, parameter.size);
    }

  private:
    static test::ProceduralModel withTrainedHead(const test::SwinPreset& preset) {
        auto model = test::modelOf(preset);
        model.config = test::withHead(model.config, model::HeadKind::tscam);
        model.config.absolutePositionEmbedding = preset.isWide;
        return model;
    }

    struct Stage {
        Stage(const ParameterLayout& layout, int stage, int samples,
              training::TrainingScratch<float>& scratch)
            : geometry(layout.config(), stage, samples)
            , layers(layout.config(), stage, geometry.tokens()) {
            const auto values = static_cast<std::size_t>(geometry.tokens() * layout.config().stageDim(stage));
            for (int b = 0; b < blocksOfStage; ++b)
                blocks.push_back(std::make_unique<training::TrainedBlock<float>>(layout, stage, b, geometry,
                                                                                 layers, scratch));
            if (stage + 1 < stages)
                merging = std::make_unique<training::TrainedMerging<float>>(layout, stage, geometry);
            streams.assign(blocksOfStage + 1, std::vector<float>(values));
        }

        training::StageGeometry geometry;
        training::BlockLayers<float> layers;
        std::vector<std::unique_ptr<training::TrainedBlock<float>>> blocks;
        std::unique_ptr<training::TrainedMerging<float>> merging;
        std::vector<std::vector<float>> streams;
    };

    test::ProceduralModel model_;
    ParameterLayout layout_;
    std::vector<float> values_, gradients_;
    training::TrainingScratch<float> scratch_;
    std::vector<float> kept_;
    std::vector<std::unique_ptr<Stage>> stages_;
};

// Of the largest golden value. The gradient of a scale is a sum of large terms that cancel: the reference's
// own float32 run is up to 8e-4 off.
double allowed(const Parameter& parameter) {
    return parameter.role == model::TensorRole::scoring ? 5e-3 : 1e-3;
}

double lengthOf(std::span<const float> values) {
    double sum = 0.0;
    for (const double value : values) sum += value * value;
    return std::sqrt(sum);
}

} // namespace

TEST_CASE("gradients of Swin V1 and V2 are those of the public implementation", "[golden][training]") {
    const auto preset = GENERATE(from_range(test::swinPresets()));
    INFO(preset.name);
    test::Golden golden("swin_gradients.safetensors");
    const auto input = test::embedded(golden, preset);
    TrainedEncoder encoder(preset, 2);
    encoder.forward(input);
    int activations = 0;
    const auto prefix = preset.name + ".";
    encoder.backward(golden.values(prefix + "activation_gradient.norm"),
                     [&](const std::string& name, const std::vector<float>& found) {
                         INFO(name);
                         const auto tensor = prefix + "activation_gradient." + name;
                         if (!golden.has(tensor)) return;
                         CHECK(golden.relativeDifference(tensor, found) <= 1e-3);
                         ++activations;
                     });
    CHECK(activations == (preset.isWide ? 0 : 4));

    // The norms are those of all parameters, in their order, with the patch embedding before and the head
    // after them.
    const auto norms = golden.values(prefix + "gradient_norms");
    std::size_t place = preset.isWide ? 5 : 4;
    int compared = 0;
    for (const Parameter& parameter : encoder.layout().parameters()) {
        if (parameter.stage < 0 || parameter.ofHead()) continue;
        CAPTURE(parameter.name);
        const auto found = encoder.gradient(parameter);
        CHECK(std::abs(lengthOf(found) - norms.at(place)) <= allowed(parameter) * norms.at(place));
        ++place;
        const auto tensor = prefix + "gradient." + parameter.name;
        if (!golden.has(tensor)) continue;
        CHECK(golden.relativeDifference(tensor, found) <= allowed(parameter));
        ++compared;
    }
    CHECK(place + 2 == norms.size());
    CHECK(compared >= (preset.isWide ? 6 : 70));
}

TEST_CASE("V2's distances for a larger attention window are the public implementation's", "[golden]") {
    test::Golden golden("swin_gradients.safetensors");
    const auto distances = model::logDistances(8, 4);
    std::vector<float> coordinates;
    for (const float row : distances)
        for (const float column : distances) coordinates.insert(coordinates.end(), {row, column});
    CHECK(golden.relativeDifference("swinv2_test_to_128_window8_pretrained4.coords", coordinates) <= 2e-7);
}
