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

    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        const auto output = network_.run(logMel);
        assert(output.tokens.size() == probabilities.size());
        std::ranges::copy(output.tokens, probabilities.begin());
    }

    void expectHop(int hop, int stretch) override { network_.expectHop(hop, stretch); }

    std::unique_ptr<TokenModel> another() const override {
        return std::make_unique<NetworkTokenModel>(weights_);
    }

  private:
    std::shared_ptr<const model::Weights> weights_;
    model::Network network_;
};

} // namespace

std::unique_ptr<TokenModel> makeNetworkTokenModel(std::shared_ptr<const model::Weights> weights) {
    return std::make_unique<NetworkTokenModel>(std::move(weights));
}

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
    return settings;
}

FrequencyRange heardRange(const model::Weights& weights) {
    constexpr double matrixRate = 32000.0; // Hz
    const model::Config& config = weights.config();
    const bool isShifted = weights.kind() == model::microsoftKind && !weights.melFilters().empty();
    const double shift = isShifted ? config.sampleRate / matrixRate : 1.0;
    return {.lowest = shift * config.lowHz, .highest = shift * config.highHz};
}

} // namespace earshot::detection
