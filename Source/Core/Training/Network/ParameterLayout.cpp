#include "Core/Training/Network/ParameterLayout.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <random>

namespace earshot::training {

namespace {

constexpr std::size_t tensorAlignment = 16; // floats: a cache line

// Nearly normal with deviation 1, within 2.5: the sum of twelve uniform integers, so that the start of a
// model does not depend on a library's logarithm.
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

std::vector<float> bandValues(model::Checkpoint& checkpoint, const std::string& name, int melBands) {
    const auto read = readStart(checkpoint, name, {melBands});
    return {read.values().begin(), read.values().end()};
}

} // namespace

ParameterLayout::ParameterLayout(const model::Config& config)
    : config_(config) {
    config_.validate();
    if (config_.head == model::HeadKind::pooled)
        throw Error("a model with a mean-pooled head cannot be trained here; start from one with a "
                    "token-semantic or a fine head, or train a new one");
    for (model::TensorForm& form : model::networkTensors(config_)) {
        if (!form.trained()) continue;
        const auto count = static_cast<std::size_t>(tensor::elementCount(form.shape));
        parameters_.push_back({std::move(form), size_, count});
        size_ += (count + tensorAlignment - 1) / tensorAlignment * tensorAlignment;
    }
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
        if (parameter.ofClasses() && parameter.role == model::TensorRole::bias) {
            const double share = prior;
            std::fill(own.begin(), own.end(), static_cast<float>(std::log(share / (1.0 - share))));
        } else if (parameter.isDrawn) {
            for (float& value : own) value = deviation * truncatedNormal(generator);
        } else {
            std::ranges::fill(own, parameter.start);
        }
    }
    return values;
}

tensor::Tensor readStart(model::Checkpoint& checkpoint, const std::string& name, const tensor::Shape& shape) {
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

BandStatistics readParameters(model::Checkpoint& checkpoint, const std::string& prefix,
                              const ParameterLayout& layout, bool sameHead, std::span<float> values) {
    assert(values.size() == layout.size());
    for (const Parameter& parameter : layout.parameters()) {
        if (parameter.ofHead() && !sameHead) continue;
        const auto read = readStart(checkpoint, prefix + parameter.name, parameter.shape);
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
        if (!parameter.ofHead()) continue;
        if (!parameter.ofClasses()) {
            const auto read = readStart(checkpoint, prefix + parameter.name, parameter.shape);
            std::ranges::copy(read.values(), values.subspan(parameter.offset).begin());
            continue;
        }
        auto shape = parameter.shape;
        shape[0] = classes;
        const auto read = readStart(checkpoint, prefix + parameter.name, shape);
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
