#include "Core/Model/Network/ReferenceModes.h"

#include "Core/Base/Error.h"
#include "Core/Model/Network/ClapProjection.h"
#include "Core/Model/Network/InputImage.h"

#include <fmt/format.h>

#include <string>

namespace earshot::model {

namespace {

// Sums the outputs of passes and returns their mean.
class PassAverage {
  public:
    explicit PassAverage(const Config& config)
        : config_(config)
        , tokens_(static_cast<std::size_t>(config.stepsPerWindow()) * config.classes)
        , clipwise_(static_cast<std::size_t>(config.classes))
        , latent_(static_cast<std::size_t>(config.latentDim())) {}

    void add(const PassOutput& pass) {
        addTo(tokens_, pass.tokens);
        addTo(clipwise_, pass.clipwise);
        addTo(latent_, pass.latent);
        ++passes_;
    }

    ForwardOutput mean() {
        divide(tokens_);
        divide(clipwise_);
        divide(latent_);
        ForwardOutput out{{}, std::move(clipwise_), std::move(latent_), {}};
        out.framewise.reserve(tokens_.size() * config_.framesPerToken());
        for (int token = 0; token < config_.stepsPerWindow(); ++token) {
            const auto first = tokens_.begin() + static_cast<std::ptrdiff_t>(token) * config_.classes;
            for (int frame = 0; frame < config_.framesPerToken(); ++frame)
                out.framewise.insert(out.framewise.end(), first, first + config_.classes);
        }
        return out;
    }

  private:
    static void addTo(std::vector<float>& sums, std::span<const float> values) {
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
    }
    void divide(std::vector<float>& sums) const {
        for (auto& x : sums) x /= static_cast<float>(passes_);
    }

    const Config& config_;
    std::vector<float> tokens_, clipwise_, latent_;
    int passes_ = 0;
};

[[noreturn]] void tooLong(std::string_view mode, std::int64_t frames, std::int64_t limit,
                          const Config& config) {
    const auto seconds = [&](std::int64_t n) { return static_cast<double>(n) * config.secondsPerFrame(); };
    throw Error(fmt::format(
        "mode {} takes at most {:.2f} s, the clip has {:.2f} s; use 'earshot analyze', which takes "
        "any length",
        mode, seconds(limit), seconds(frames)));
}

std::vector<float> repeated(std::span<const float> values, std::int64_t times) {
    std::vector<float> out;
    out.reserve(values.size() * static_cast<std::size_t>(times));
    for (std::int64_t i = 0; i < times; ++i) out.insert(out.end(), values.begin(), values.end());
    return out;
}

void runRepeat(Network& network, std::span<const float> logMel, PassAverage& average) {
    const auto& config = network.config();
    const auto bands = static_cast<std::size_t>(config.melBands);
    std::vector<float> whole(static_cast<std::size_t>(config.windowFrames()) * bands);
    stretchFrames(logMel, whole, config.melBands);
    const auto viewSize = static_cast<std::size_t>(config.imageSize) * bands;
    for (std::size_t first = 0; first + viewSize <= whole.size(); first += viewSize)
        average.add(network.run(repeated({whole.data() + first, viewSize}, config.timeSegments())));
}

void runCrop(Network& network, std::span<const float> logMel, std::int64_t frames, PassAverage& average) {
    const auto& config = network.config();
    const auto bands = static_cast<std::size_t>(config.melBands);
    const auto step = (frames - 1) / 4;
    const auto length = (frames - 1) / 2;
    if (length > config.windowFrames()) tooLong("crop", frames, 2 * config.windowFrames() + 2, config);
    for (std::int64_t first = 0; first < frames - length - 1; first += step)
        average.add(network.run(logMel.subspan(static_cast<std::size_t>(first) * bands,
                                               static_cast<std::size_t>(length) * bands)));
}

} // namespace

ReferenceMode referenceMode(std::string_view name) {
    if (name == "fit") return ReferenceMode::fit;
    if (name == "infer") return ReferenceMode::infer;
    if (name == "repeat") return ReferenceMode::repeat;
    if (name == "crop") return ReferenceMode::crop;
    throw Error("unknown mode '" + std::string(name) + "'; use fit, infer, repeat or crop");
}

ForwardOutput forward(Network& network, std::span<const float> logMel, ReferenceMode mode) {
    const auto& config = network.config();
    const auto frames = static_cast<std::int64_t>(logMel.size()) / config.melBands;
    if (frames == 0) throw Error("the clip holds no samples");
    const bool fits = frames <= config.windowFrames();
    if (!fits && mode == ReferenceMode::fit) tooLong("fit", frames, config.windowFrames(), config);
    if (!fits && mode == ReferenceMode::infer) tooLong("infer", frames, config.windowFrames(), config);
    if (!fits && mode == ReferenceMode::repeat) tooLong("repeat", frames, config.windowFrames(), config);

    PassAverage average(config);
    if (mode == ReferenceMode::repeat)
        runRepeat(network, logMel, average);
    else if (mode == ReferenceMode::infer)
        average.add(network.run(repeated(logMel, config.windowFrames() / frames)));
    else if (!fits)
        runCrop(network, logMel, frames, average);
    else
        average.add(network.run(logMel));
    auto output = average.mean();
    if (network.weights().projection()) {
        ClapProjection projection(network.sharedWeights());
        const auto embedding = projection.run(output.latent);
        output.embedding.assign(embedding.begin(), embedding.end());
    }
    return output;
}

} // namespace earshot::model
