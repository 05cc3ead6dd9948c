#include "Core/Training/Network/ParameterLayout.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Model/Network/EventHead.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <random>

namespace earshot::training {

namespace {

constexpr std::size_t tensorAlignment = 16; // floats: a cache line

bool endsWith(const std::string& text, std::string_view ending) { return text.ends_with(ending); }

// About normal with deviation 1, within 2.5: the sum of twelve uniform numbers, in integers, so that no
// library's logarithm decides what a model starts from.
float truncatedNormal(std::mt19937_64& generator) {
    constexpr double limit = 2.5;
    while (true) {
        std::int64_t sum = 0;
        for (int i = 0; i < 6; ++i) {
            const std::uint64_t bits = generator();
            sum += static_cast<std::int64_t>(bits >> 32) + static_cast<std::int64_t>(bits & 0xffffffffu);
        }
        const double value = static_cast<double>(sum) * 0x1p-32 - 6.0;
        if (std::abs(value) <= limit) return static_cast<float>(value);
    }
}

// Throws earshot::Error when it is missing, of another shape, or holds what is no number.
tensor::Tensor readTensor(model::Checkpoint& checkpoint, const std::string& name,
                          const tensor::Shape& shape) {
    const auto what = displayName(checkpoint.file()) + ": tensor " + printable(name) + ": ";
    const auto found = checkpoint.tensors().find(name);
    const bool isThere = found != checkpoint.tensors().end();
    if (!isThere || found->second.shape != shape)
        throw Error(what + "expected " + tensor::describe(shape) + ", found " +
                    (isThere ? tensor::describe(found->second.shape) : std::string("none")));
    auto read = checkpoint.read(name);
    const auto isFinite = [](float x) { return std::isfinite(x); };
    if (!std::all_of(read.values().begin(), read.values().end(), isFinite))
        throw Error(what + "holds values that are not numbers; start from another model");
    return read;
}

std::vector<float> bandValues(model::Checkpoint& checkpoint, const std::string& name, int melBands) {
    const auto read = readTensor(checkpoint, name, {melBands});
    return {read.values().begin(), read.values().end()};
}

} // namespace

ParameterLayout::ParameterLayout(const model::Config& config)
    : config_(config) {
    config_.validate();
    if (!config_.tscam)
        throw Error("a model with a mean-pooled head cannot be trained here; start from one with a "
                    "token-semantic head (TSCAM), or train a new one");
    const auto norm = [this](const std::string& name, std::int64_t channels, int stage) {
        add(name + ".weight", {channels}, false, stage);
        add(name + ".bias", {channels}, false, stage);
    };
    const auto linear = [this](const std::string& name, std::int64_t outputs, std::int64_t inputs, bool bias,
                               int stage) {
        add(name + ".weight", {outputs, inputs}, true, stage);
        if (bias) add(name + ".bias", {outputs}, false, stage);
    };
    const std::int64_t side = config_.patchSize;
    norm("bn0", config_.melBands, -1);
    add("patch_embed.proj.weight", {config_.embedDim, 1, side, side}, true, -1);
    add("patch_embed.proj.bias", {config_.embedDim}, false, -1);
    if (config_.patchNorm) norm("patch_embed.norm", config_.embedDim, -1);
    if (config_.absolutePositionEmbedding) {
        const std::int64_t tokens = config_.stageGrid(0) * config_.stageGrid(0);
        add("absolute_pos_embed", {1, tokens, config_.embedDim}, false, -1);
    }
    for (int stage = 0; stage < config_.stageCount(); ++stage) {
        const auto layer = "layers." + std::to_string(stage);
        const std::int64_t width = config_.stageDim(stage);
        const std::int64_t positions = 2 * config_.stageWindow(stage) - 1;
        const int heads = config_.heads[static_cast<std::size_t>(stage)];
        for (int block = 0; block < config_.depths[static_cast<std::size_t>(stage)]; ++block) {
            const auto name = layer + ".blocks." + std::to_string(block);
            norm(name + ".norm1", width, stage);
            add(name + ".attn.relative_position_bias_table", {positions * positions, heads}, false, stage);
            linear(name + ".attn.qkv", 3 * width, width, config_.qkvBias, stage);
            linear(name + ".attn.proj", width, width, true, stage);
            norm(name + ".norm2", width, stage);
            linear(name + ".mlp.fc1", width * config_.mlpRatio, width, true, stage);
            linear(name + ".mlp.fc2", width, width * config_.mlpRatio, true, stage);
        }
        if (stage + 1 < config_.stageCount()) {
            linear(layer + ".downsample.reduction", 2 * width, 4 * width, false, stage);
            norm(layer + ".downsample.norm", 4 * width, stage);
        }
    }
    const int last = config_.stageCount();
    norm("norm", config_.latentDim(), last);
    add("tscam_conv.weight",
        {config_.classes, config_.latentDim(), model::EventHead::frequencyRows(config_),
         model::EventHead::kernelWidth},
        true, last);
    add("tscam_conv.bias", {config_.classes}, false, last);
}

void ParameterLayout::add(std::string name, tensor::Shape shape, bool decays, int stage) {
    const auto count = static_cast<std::size_t>(tensor::elementCount(shape));
    const bool head = name.starts_with("tscam_conv.");
    parameters_.push_back({std::move(name), std::move(shape), size_, count, decays, head, stage});
    size_ += (count + tensorAlignment - 1) / tensorAlignment * tensorAlignment;
}

const Parameter& ParameterLayout::find(const std::string& name) const {
    const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                    [&](const Parameter& parameter) { return parameter.name == name; });
    assert(found != parameters_.end());
    return *found;
}

std::vector<float> initialParameters(const ParameterLayout& layout, std::uint64_t seed, float prior) {
    assert(prior > 0.0f && prior < 1.0f);
    constexpr float deviation = 0.02f;
    std::mt19937_64 generator(seed);
    std::vector<float> values(layout.size(), 0.0f);
    for (const Parameter& parameter : layout.parameters()) {
        const std::span<float> own = std::span(values).subspan(parameter.offset, parameter.size);
        const bool isTable =
            endsWith(parameter.name, "_bias_table") || parameter.name == "absolute_pos_embed";
        if (parameter.name == "tscam_conv.bias") {
            const double share = prior;
            std::fill(own.begin(), own.end(), static_cast<float>(std::log(share / (1.0 - share))));
        } else if (parameter.decays || isTable) {
            for (float& value : own) value = deviation * truncatedNormal(generator);
        } else if (endsWith(parameter.name, ".weight")) {
            std::fill(own.begin(), own.end(), 1.0f);
        }
    }
    return values;
}

BandStatistics readParameters(model::Checkpoint& checkpoint, const std::string& prefix,
                              const ParameterLayout& layout, bool sameHead, std::span<float> values) {
    assert(values.size() == layout.size());
    for (const Parameter& parameter : layout.parameters()) {
        if (parameter.head && !sameHead) continue;
        const auto read = readTensor(checkpoint, prefix + parameter.name, parameter.shape);
        std::ranges::copy(read.values(), values.subspan(parameter.offset).begin());
    }
    const int bands = layout.config().melBands;
    return {bandValues(checkpoint, prefix + "bn0.running_mean", bands),
            bandValues(checkpoint, prefix + "bn0.running_var", bands)};
}

void readHead(model::Checkpoint& checkpoint, const std::string& prefix, const ParameterLayout& layout,
              int classes, std::span<const int> known, std::span<float> values) {
    assert(values.size() == layout.size());
    assert(static_cast<int>(known.size()) == layout.config().classes);
    for (const Parameter& parameter : layout.parameters()) {
        if (!parameter.head) continue;
        auto shape = parameter.shape;
        shape[0] = classes;
        const auto read = readTensor(checkpoint, prefix + parameter.name, shape);
        const std::size_t size = parameter.size / known.size(); // of a class
        for (std::size_t i = 0; i < known.size(); ++i) {
            assert(known[i] < classes);
            if (known[i] >= 0)
                std::ranges::copy(read.values().subspan(static_cast<std::size_t>(known[i]) * size, size),
                                  values.subspan(parameter.offset + i * size).begin());
        }
    }
}

} // namespace earshot::training
