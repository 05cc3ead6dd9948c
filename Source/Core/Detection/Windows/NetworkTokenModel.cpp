#include "Core/Detection/Windows/NetworkTokenModel.h"

#include "Core/Model/Network/Network.h"
#include "Core/Model/Reading/ConfigReader.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace earshot::detection {

namespace {

class NetworkTokenModel : public TokenModel {
  public:
    explicit NetworkTokenModel(std::shared_ptr<const model::Weights> weights)
        : weights_(std::move(weights))
        , network_(weights_) {}

    int melBands() const override { return network_.config().melBands; }
    int windowFrames() const override { return network_.config().windowFrames(); }
    int framesPerToken() const override { return network_.config().framesPerToken(); }
    int classes() const override { return network_.config().classes; }
    bool repeatsShortAudio() const override { return detection::repeatsShortAudio(*weights_); }

    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        const auto output = network_.run(logMel);
        assert(output.tokens.size() == probabilities.size());
        std::ranges::copy(output.tokens, probabilities.begin());
    }

    void expectHop(int hop, int stretch) override { network_.expectHop(hop, stretch); }

    std::unique_ptr<TokenModel> clone() const override {
        return std::make_unique<NetworkTokenModel>(weights_);
    }

  private:
    std::shared_ptr<const model::Weights> weights_;
    model::Network network_;
};

// From the lowest to the highest frequency of the spectrum that some band of the mel matrix weighs.
FrequencyRange weighedRange(const model::Weights& weights) {
    const model::Config& config = weights.config();
    const auto filters = weights.melFilters();
    const auto isWeighed = [](float weight) { return weight != 0.0f; };
    const auto first = std::ranges::find_if(filters, isWeighed) - filters.begin();
    const auto last = filters.rend() - std::find_if(filters.rbegin(), filters.rend(), isWeighed) - 1;
    const auto hertz = [&](std::ptrdiff_t place) {
        const auto bin = place / config.melBands;
        return static_cast<double>(bin) * config.sampleRate / config.fftSize;
    };
    if (last < 0) return {};
    return {.lowest = hertz(first), .highest = hertz(last)};
}

// The edges of the lowest and the highest band; beyond half the sample rate where a matrix has empty bands.
FrequencyRange bandEdges(const model::Weights& weights) {
    const model::Config& config = weights.config();
    if (weights.melFilters().empty()) return {.lowest = config.lowHz, .highest = config.highHz};
    const auto& mel = weights.layout().mel;
    if (!mel) return weighedRange(weights);
    // At another rate than its own a matrix weighs other frequencies.
    const double shift = static_cast<double>(config.sampleRate) / mel->sampleRate;
    return {.lowest = shift * mel->lowHz, .highest = shift * mel->highHz};
}

} // namespace

std::unique_ptr<TokenModel> makeNetworkTokenModel(std::shared_ptr<const model::Weights> weights) {
    return std::make_unique<NetworkTokenModel>(std::move(weights));
}

bool repeatsShortAudio(const model::Weights& weights) { return weights.kind() != model::htsatKind; }

frontend::LogMelSettings logMelSettings(const model::Config& config) {
    return {.sampleRate = config.sampleRate,
            .fftSize = config.fftSize,
            .hopSize = config.hopSize,
            .melBands = config.melBands,
            .lowHz = config.lowHz,
            .highHz = config.highHz,
            .scale = config.htkMelScale ? frontend::MelScale::htk : frontend::MelScale::slaney,
            .filters = {}};
}

frontend::LogMelSettings logMelSettings(const model::Weights& weights) {
    auto settings = logMelSettings(weights.config());
    const auto filters = weights.melFilters();
    settings.filters.assign(filters.begin(), filters.end());
    // With a matrix these are for the axes of pictures alone.
    if (const auto bands = bandEdges(weights); bands.highest > bands.lowest) {
        settings.lowHz = bands.lowest;
        settings.highHz = bands.highest;
    }
    return settings;
}

FrequencyRange heardRange(const model::Weights& weights) {
    auto range = bandEdges(weights);
    range.highest = std::min(range.highest, weights.config().sampleRate / 2.0);
    return range;
}

} // namespace earshot::detection
