#include "Core/Model/Network/Network.h"

#include "Core/Model/Network/Encoder.h"
#include "Core/Model/Network/EventHead.h"
#include "Core/Model/Network/FineHead.h"
#include "Core/Model/Network/InputImage.h"
#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Model/Precision/ActivationRanges.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::model {

namespace {

std::unique_ptr<Head> makeHead(const NetworkWeights& weights, const Config& config, Encoder& encoder) {
    if (config.head != HeadKind::fine)
        return std::make_unique<EventHead>(weights, config, encoder.outputData(), encoder.scratch());
    std::vector<const float*> tokens;
    for (const int stage : headStages(config))
        tokens.push_back(stage + 1 == config.stageCount() ? encoder.outputData()
                                                          : encoder.stream(stage).data());
    return std::make_unique<FineHead>(weights, config, tokens, encoder.scratch());
}

} // namespace

struct Network::Impl {
    std::shared_ptr<const Weights> weights;
    const Config& config;
    tensor::Tensor input; // (windowFrames, melBands); the first inputFrames are in use
    std::int64_t inputFrames = 0;
    tensor::Tensor stretched; // (windowFrames, melBands)
    tensor::Tensor image;     // (imageSize, imageSize)
    Encoder encoder;
    std::unique_ptr<Head> head;
    std::vector<Step> steps;
    std::size_t secondStage = 0; // index of the first step after stage 0

    explicit Impl(std::shared_ptr<const Weights> shared)
        : weights(std::move(shared))
        , config(weights->config())
        , input({config.windowFrames(), config.melBands})
        , stretched({config.windowFrames(), config.melBands})
        , image({config.imageSize, config.imageSize})
        , encoder(weights->network(), config)
        , head(makeHead(weights->network(), config, encoder)) {
        add(
            "image", [this] { makeImage(); }, "image", image.values());
        add(
            "patch_embed", [this] { encoder.embed(image.values()); }, "patch_embed", encoder.stream(0));
        for (int stage = 0; stage < config.stageCount(); ++stage) {
            addStage(stage);
            if (stage == 0) secondStage = steps.size();
        }
        add(
            "norm", [this] { encoder.normalise(); }, "norm", encoder.output());
        const bool hasReference = config.head != HeadKind::fine;
        add(
            "head", [this] { head->run(); }, hasReference ? "tscam_logits" : "", head->logits());
    }

    void add(std::string name, std::function<void()> run, std::string resultName = {},
             std::span<const float> result = {}) {
        steps.push_back({std::move(name), std::move(run), std::move(resultName), result});
    }

    void addStage(int stage) {
        const auto name = "stage" + std::to_string(stage);
        const int depth = config.depths[static_cast<std::size_t>(stage)];
        for (int index = 0; index < depth; ++index) {
            const auto blockName = name + ".block" + std::to_string(index);
            auto& block = encoder.block(stage, index);
            add(blockName + ".qkv", [&block] { block.normAndQkv(); });
            add(blockName + ".attention", [&block] { block.attend(); });
            add(blockName + ".projection", [&block] { block.project(); });
            add(
                blockName + ".mlp", [&block] { block.mlp(); }, blockName, encoder.stream(stage));
        }
        if (stage + 1 < config.stageCount())
            add(
                name + ".merging", [this, stage] { encoder.merge(stage); }, name, encoder.stream(stage + 1));
    }

    void setInput(std::span<const float> logMel) {
        const auto bands = static_cast<std::size_t>(config.melBands);
        assert(!logMel.empty() && logMel.size() % bands == 0 && logMel.size() <= input.size());
        inputFrames = static_cast<std::int64_t>(logMel.size() / bands);
        std::copy(logMel.begin(), logMel.end(), input.data());
    }

    void runAll() {
        steps.front().run();
        std::size_t next = 1;
        if (encoder.strips() != nullptr) {
            encoder.strips()->run(image.values());
            next = secondStage;
        }
        for (; next < steps.size(); ++next) steps[next].run();
    }

    void makeImage() {
        const auto bands = static_cast<std::size_t>(config.melBands);
        const auto used = input.values().first(static_cast<std::size_t>(inputFrames) * bands);
        normaliseBands(used, weights->network());
        if (inputFrames < config.windowFrames()) {
            stretchFrames(used, stretched.values(), config.melBands);
            foldFrames(stretched.values(), image.values(), config);
        } else {
            foldFrames(used, image.values(), config);
        }
    }
};

Network::Network(std::shared_ptr<const Weights> weights)
    : impl_(std::make_unique<Impl>(std::move(weights))) {}

Network::~Network() = default;
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;

const Weights& Network::weights() const { return *impl_->weights; }
std::shared_ptr<const Weights> Network::sharedWeights() const { return impl_->weights; }
const Config& Network::config() const { return impl_->config; }
std::span<const Network::Step> Network::steps() const { return impl_->steps; }

void Network::setInput(std::span<const float> logMel) {
    impl_->setInput(logMel);
    if (auto* strips = impl_->encoder.strips()) strips->forget(); // the steps overwrite the kept strips
}

void Network::expectHop(std::int64_t hop, std::int64_t stretch) {
    auto& encoder = impl_->encoder;
    const auto plan = hop > 0 ? StripStage::planFor(config(), hop, stretch) : std::nullopt;
    const auto* strips = encoder.strips();
    if (strips == nullptr ? plan.has_value() : plan != strips->plan()) encoder.takeApart(plan);
}

PassOutput Network::run(std::span<const float> logMel) {
    impl_->setInput(logMel);
    impl_->runAll();
    const PassOutput output{impl_->head->tokenProbabilities(), impl_->head->clipProbabilities(),
                            impl_->head->latent()};
    for (const auto values : {output.tokens, output.clipwise, output.latent}) requireNumbers(values);
    return output;
}

void Network::frameTokens(std::span<float> frames) const { impl_->head->frameTokens(frames); }
std::int64_t Network::classInputCount() const { return weights().network().head.inputs(); }
void Network::classInputs(std::span<float> inputs) const {
    assert(static_cast<std::int64_t>(inputs.size()) == config().stepsPerWindow() * classInputCount());
    impl_->head->classInputs(inputs);
}

std::size_t Network::workspaceBytes() const {
    return impl_->input.bytes() + impl_->stretched.bytes() + impl_->image.bytes() +
           impl_->encoder.memoryBytes();
}

} // namespace earshot::model
