#include "Core/Training/Network/TrainingNetwork.h"

#include "Core/Model/Network/Head.h"
#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Training/Network/TrainedBlock.h"
#include "Core/Training/Network/TrainedHead.h"
#include "Core/Training/Network/TrainedMerging.h"
#include "Core/Training/Network/TrainedPatchEmbed.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace earshot::training {

using tensor::AlignedVector;
using tensor::BFloat16;

namespace {

constexpr std::uint64_t dropPurpose = 0x64726f70; // of seedFor

// From 0 to just below 1.
float uniform(std::uint64_t bits) { return static_cast<float>(bits >> 40) * 0x1.0p-24f; }

} // namespace

struct TrainingNetwork::Impl {
    virtual ~Impl() = default;
    virtual void setParameters(std::span<const float> values) = 0;
    virtual std::span<const float> forward(const NetworkInput& input) = 0;
    virtual void backward(std::span<const float> logitGradients, std::span<float> gradients, int firstStage,
                          std::span<const float> featureGradients) = 0;
    virtual double headGradientSquares() const = 0;
    virtual std::span<const float* const> features() const = 0;
};

namespace {

template <typename Value>
class Passes final : public TrainingNetwork::Impl {
  public:
    Passes(const ParameterLayout& layout, int samples)
        : layout_(layout)
        , config_(layout.config())
        , samples_(samples)
        , scratch_(config_, samples)
        , embed_(layout, samples)
        , gain_(layout.find("norm.weight"))
        , shift_(layout.find("norm.bias"))
        , head_(makeTrainedHead<Value>(layout, samples)) {
        for (int stage = 0; stage < config_.stageCount(); ++stage)
            stages_.push_back(std::make_unique<Stage>(layout, stage, samples, scratch_));
        const auto& last = *stages_.back();
        const auto values = last.streams.back().size();
        features_.resize(values);
        featureGradient_.resize(values);
        for (const int stage : model::headStages(config_)) {
            auto& read = *stages_[static_cast<std::size_t>(stage)];
            const bool isLast = stage + 1 == config_.stageCount();
            if (!isLast) read.headGradient.resize(read.gradient.size());
            heard_.push_back(isLast ? features_.data() : read.streams.back().data());
            heardGradients_.push_back(isLast ? featureGradient_.data() : read.headGradient.data());
        }
        statistics_.resize(2 * static_cast<std::size_t>(last.geometry.tokens()));
        logits_.resize(static_cast<std::size_t>(samples) *
                       static_cast<std::size_t>(config_.stepsPerWindow()) *
                       static_cast<std::size_t>(config_.classes));
        blockCount_ = std::accumulate(config_.depths.begin(), config_.depths.end(), 0);
        scales_.resize(2 * static_cast<std::size_t>(blockCount_) * static_cast<std::size_t>(samples));
    }

    void setParameters(std::span<const float> values) override {
        assert(values.size() == layout_.size());
        values_ = {values.data(), round(values)};
        embed_.setParameters(values_);
        for (auto& stage : stages_) {
            for (auto& block : stage->blocks) block->setParameters(values_);
            if (stage->merging) stage->merging->setParameters(values_);
        }
        head_->setParameters(values_);
    }

    std::span<const float> forward(const NetworkInput& input) override {
        assert(input.statistics != nullptr && values_.exact != nullptr);
        drawBranches(input);
        embed_.forward(input.logMel, input.stripes, *input.statistics, stages_[0]->streams[0].data());
        int block = 0;
        for (std::size_t s = 0; s < stages_.size(); ++s) {
            auto& stage = *stages_[s];
            for (std::size_t b = 0; b < stage.blocks.size(); ++b, ++block)
                stage.blocks[b]->forward(stage.streams[b].data(), stage.streams[b + 1].data(),
                                         scalesOf(block));
            if (stage.merging)
                stage.merging->forward(stage.streams.back().data(), stages_[s + 1]->streams[0].data());
        }
        const auto& last = *stages_.back();
        tensor::kernels<float>().layerNorm(last.streams.back().data(), nullptr, features_.data(),
                                           statistics_.data(), last.geometry.tokens(), config_.latentDim(),
                                           values_.exact + gain_.offset, values_.exact + shift_.offset,
                                           model::LayerNormWeights::epsilon);
        head_->forward(heard_, logits_.data());
        return logits_;
    }

    void backward(std::span<const float> logitGradients, std::span<float> gradients, int firstStage,
                  std::span<const float> featureGradients) override {
        assert(logitGradients.size() == logits_.size() && gradients.size() == layout_.size());
        head_->backward(logitGradients.data(), heardGradients_, gradients);
        headSquares_ = tensor::optimiserKernels().sumOfSquares(
            featureGradient_.data(), static_cast<std::int64_t>(featureGradient_.size()));
        assert(featureGradients.empty() || featureGradients.size() == featureGradient_.size());
        for (std::size_t i = 0; i < featureGradients.size(); ++i) featureGradient_[i] += featureGradients[i];
        auto& last = *stages_.back();
        std::fill(last.gradient.begin(), last.gradient.end(), 0.0f);
        tensor::kernels<float>().layerNormBackward(
            last.streams.back().data(), nullptr, statistics_.data(), featureGradient_.data(),
            last.gradient.data(), last.geometry.tokens(), config_.latentDim(), values_.exact + gain_.offset,
            gradients.data() + gain_.offset, gradients.data() + shift_.offset);
        for (int s = config_.stageCount() - 1; s >= std::max(firstStage, 0); --s) {
            auto& stage = *stages_[static_cast<std::size_t>(s)];
            for (auto block = stage.blocks.rbegin(); block != stage.blocks.rend(); ++block)
                (*block)->backward(stage.gradient.data(), gradients);
            // The merging before this stage belongs to the stage before it.
            if (s == 0 || s - 1 < firstStage) continue;
            auto& previous = *stages_[static_cast<std::size_t>(s - 1)];
            previous.merging->backward(stage.gradient.data(), previous.gradient.data(), gradients);
            for (std::size_t i = 0; i < previous.headGradient.size(); ++i)
                previous.gradient[i] += previous.headGradient[i];
        }
        if (firstStage < 0) embed_.backward(stages_[0]->gradient.data(), gradients);
    }

    std::span<const float* const> features() const override { return heard_; }
    double headGradientSquares() const override { return headSquares_; }

  private:
    struct Stage {
        Stage(const ParameterLayout& layout, int stage, int samples, TrainingScratch<Value>& scratch)
            : geometry(layout.config(), stage, samples)
            , layers(layout.config(), stage, geometry.tokens()) {
            const auto& config = layout.config();
            const int depth = config.depths[static_cast<std::size_t>(stage)];
            for (int index = 0; index < depth; ++index)
                blocks.push_back(
                    std::make_unique<TrainedBlock<Value>>(layout, stage, index, geometry, layers, scratch));
            if (stage + 1 < config.stageCount())
                merging = std::make_unique<TrainedMerging<Value>>(layout, stage, geometry);
            const auto values = static_cast<std::size_t>(geometry.tokens() * config.stageDim(stage));
            for (int i = 0; i <= depth; ++i) streams.emplace_back(values);
            gradient.resize(values);
        }

        StageGeometry geometry;
        BlockLayers<Value> layers;
        std::vector<std::unique_ptr<TrainedBlock<Value>>> blocks;
        std::unique_ptr<TrainedMerging<Value>> merging;
        std::vector<AlignedVector<float>> streams; // before each block, and after the last: (tokens, C)
        AlignedVector<float> gradient;             // of the stream, at the current place of backward
        AlignedVector<float> headGradient; // of the last stream, from the head; empty if it does not read it
    };

    const Value* round(std::span<const float> values) {
        if constexpr (std::is_same_v<Value, float>) {
            return values.data();
        } else {
            rounded_.resize(values.size());
            tensor::optimiserKernels().roundToBFloat16(values.data(), rounded_.data(),
                                                       static_cast<std::int64_t>(values.size()));
            return rounded_.data();
        }
    }

    BranchScales scalesOf(int block) const {
        const auto count = static_cast<std::size_t>(samples_);
        const std::span<const float> all(scales_);
        return {all.subspan(2 * static_cast<std::size_t>(block) * count, count),
                all.subspan((2 * static_cast<std::size_t>(block) + 1) * count, count)};
    }

    void drawBranches(const NetworkInput& input) {
        assert(input.dropPath == 0.0f || input.seeds.size() == static_cast<std::size_t>(samples_));
        const auto branches = 2 * static_cast<std::size_t>(blockCount_); // attention and MLP of each block
        for (std::size_t branch = 0; branch < branches; ++branch) {
            const std::size_t block = branch / 2;
            const float depth = static_cast<float>(block) / static_cast<float>(std::max(blockCount_ - 1, 1));
            const float drop = input.dropPath * depth;
            for (std::size_t sample = 0; sample < static_cast<std::size_t>(samples_); ++sample) {
                float& scale = scales_[branch * static_cast<std::size_t>(samples_) + sample];
                scale = 1.0f;
                if (drop > 0.0f) {
                    const auto bits = seedFor(input.seeds[sample], dropPurpose, branch);
                    scale = uniform(bits) < drop ? 0.0f : 1.0f / (1.0f - drop);
                }
            }
        }
    }

    const ParameterLayout& layout_;
    const model::Config& config_;
    const int samples_;
    int blockCount_ = 0;
    ParameterValues<Value> values_;
    AlignedVector<Value> rounded_;
    TrainingScratch<Value> scratch_;
    TrainedPatchEmbed<Value> embed_;
    std::vector<std::unique_ptr<Stage>> stages_;
    const Parameter& gain_;
    const Parameter& shift_;
    std::unique_ptr<TrainedHead<Value>> head_;
    AlignedVector<float> features_;        // (tokens of the last stage, latentDim)
    AlignedVector<float> featureGradient_; // likewise
    AlignedVector<float> statistics_;      // (tokens of the last stage, 2)
    std::vector<const float*> heard_;      // what the head reads of each of model::headStages()
    std::vector<float*> heardGradients_;
    std::vector<float> logits_;
    double headSquares_ = 0.0;
    std::vector<float> scales_; // (blocks, {attention, MLP}, samples)
};

} // namespace

Arithmetic bestArithmetic() { return tensor::hasFastBFloat16() ? Arithmetic::bfloat16 : Arithmetic::float32; }

TrainingNetwork::TrainingNetwork(const ParameterLayout& layout, int samples, Arithmetic arithmetic)
    : samples_(samples) {
    if (arithmetic == Arithmetic::bfloat16)
        impl_ = std::make_unique<Passes<BFloat16>>(layout, samples);
    else
        impl_ = std::make_unique<Passes<float>>(layout, samples);
}

TrainingNetwork::~TrainingNetwork() = default;

int TrainingNetwork::samples() const { return samples_; }
void TrainingNetwork::setParameters(std::span<const float> values) { impl_->setParameters(values); }
std::span<const float> TrainingNetwork::forward(const NetworkInput& input) { return impl_->forward(input); }
void TrainingNetwork::backward(std::span<const float> logitGradients, std::span<float> gradients,
                               int firstStage, std::span<const float> featureGradients) {
    impl_->backward(logitGradients, gradients, firstStage, featureGradients);
}
double TrainingNetwork::headGradientSquares() const { return impl_->headGradientSquares(); }
std::span<const float* const> TrainingNetwork::features() const { return impl_->features(); }

BandMoments::BandMoments(int melBands)
    : sums_(static_cast<std::size_t>(melBands))
    , squares_(static_cast<std::size_t>(melBands)) {}

void BandMoments::add(std::span<const float> logMel) {
    assert(logMel.size() % sums_.size() == 0);
    for (std::size_t first = 0; first < logMel.size(); first += sums_.size())
        for (std::size_t band = 0; band < sums_.size(); ++band) {
            const double value = logMel[first + band];
            sums_[band] += value;
            squares_[band] += value * value;
        }
    frames_ += static_cast<std::int64_t>(logMel.size() / sums_.size());
}

void BandMoments::add(const BandMoments& other) {
    assert(other.sums_.size() == sums_.size());
    for (std::size_t band = 0; band < sums_.size(); ++band) {
        sums_[band] += other.sums_[band];
        squares_[band] += other.squares_[band];
    }
    frames_ += other.frames_;
}

BandStatistics BandMoments::result() const {
    assert(frames_ > 0);
    BandStatistics statistics;
    const auto count = static_cast<double>(frames_);
    for (std::size_t band = 0; band < sums_.size(); ++band) {
        const double mean = sums_[band] / count;
        statistics.mean.push_back(static_cast<float>(mean));
        statistics.variance.push_back(
            static_cast<float>(std::max(squares_[band] / count - mean * mean, 0.0)));
    }
    return statistics;
}

} // namespace earshot::training
