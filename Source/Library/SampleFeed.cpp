#include "Library/SampleFeed.h"

#include "Library/Failure.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

namespace earshot::library {

namespace {

std::vector<std::size_t> mixedChannels(std::size_t channels, int channel) {
    if (channel > 0 && static_cast<std::size_t>(channel) > channels)
        throw Failure(EARSHOT_INVALID_ARGUMENT,
                      fmt::format("channel: {} is chosen of {}; choose one that there is, or the mix",
                                  channel, channels));
    if (channel > 0) return {static_cast<std::size_t>(channel - 1)};
    std::vector<std::size_t> all(channels);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

} // namespace

SampleFeed::SampleFeed(double rate, std::size_t channels, int channel, double modelRate)
    : rate_(rate)
    , mix_(mixedChannels(channels, channel), static_cast<int>(std::lround(rate)))
    , meter_(static_cast<int>(std::lround(rate)))
    , resampler_(rate, modelRate)
    , frame_(channels) {}

float SampleFeed::usable(float sample) {
    if (std::isfinite(sample)) return sample;
    ++notFinite_;
    return 0.0f;
}

void SampleFeed::push(const Samples& samples, std::size_t first, std::size_t count,
                      std::vector<float>& output) {
    mono_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        for (const std::size_t channel : mix_.channels())
            frame_[channel] = usable(samples.at(first + i, channel));
        mono_[i] = mix_.mix(frame_.data());
    }
    meter_.push(mono_);
    frames_ += count;
    resampler_.push(mono_, output);
}

void SampleFeed::finish(std::vector<float>& output) { resampler_.finish(output); }

std::vector<std::string> SampleFeed::remarks() const {
    std::vector<std::string> found;
    if (notFinite_ > 0)
        found.push_back(fmt::format("{} samples are not finite numbers and count as silence", notFinite_));
    constexpr double fullScale = 6.0; // dB (RMS)
    if (const double level = meter_.loudest(); level > fullScale)
        found.push_back(fmt::format("its loudest second is at {:.0f} dB (RMS), far over full scale, where "
                                    "models take sounds for others; scale samples to -1 to 1",
                                    level));
    if (auto cancelled = mix_.warning()) found.push_back(std::move(*cancelled));
    return found;
}

} // namespace earshot::library
