#include "Core/Audio/ChannelMix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace earshot::audio {

namespace {

constexpr std::int64_t windowsPerSecond = 2;
constexpr std::int64_t minWindows = 4; // that cancel, in a row
// dB by which the mix is lower than that of channels that have nothing in common. What is turned over in one
// of two channels reaches it, if their own noise is 15 dB lower.
constexpr double oddLoss = 12.0;

constexpr const char* advice = "choose one of them (--channel 1, or Channel in the settings)";

} // namespace

double ChannelMix::Meter::loss() const {
    double energy = 0.0;
    for (const Energy& channel : channels) energy += channel.value() / static_cast<double>(channels.size());
    if (energy == 0.0) return 0.0;
    const double left = mix.value();
    return left > 0.0 ? 10.0 * std::log10(energy / left) : std::numeric_limits<double>::infinity();
}

void ChannelMix::Meter::add(const Meter& other) {
    for (std::size_t i = 0; i < channels.size(); ++i) channels[i].add(other.channels[i]);
    mix.add(other.mix);
}

ChannelMix::ChannelMix(std::vector<std::size_t> channels, int sampleRate)
    : channels_(std::move(channels))
    , sampleRate_(sampleRate)
    , windowFrames_(std::max<std::int64_t>(1, sampleRate / windowsPerSecond)) {
    before_.channels.resize(channels_.size());
    window_.channels.resize(channels_.size());
}

float ChannelMix::mix(const float* frame) {
    if (channels_.size() == 1) return frame[channels_.front()];
    double sum = 0.0;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
        const auto sample = static_cast<double>(frame[channels_[i]]);
        sum += sample;
        window_.channels[i].add(sample);
    }
    const auto mono = static_cast<float>(sum / static_cast<double>(channels_.size()));
    window_.mix.add(static_cast<double>(mono));
    if (++frames_ == windowFrames_) endWindow();
    return mono;
}

double ChannelMix::loss() const {
    Meter all = before_;
    all.add(window_);
    return all.loss();
}

// Channels that have nothing in common lose 10 log10 of their number.
bool ChannelMix::isOdd(double loss) const {
    return loss >= oddLoss + 10.0 * std::log10(static_cast<double>(channels_.size()));
}

void ChannelMix::endWindow() {
    const bool cancels = isOdd(window_.loss());
    before_.add(window_);
    window_ = Meter{.channels = std::vector<Energy>(channels_.size()), .mix = {}};
    frames_ = 0;
    if (cancels && begin_ < 0) begin_ = windows_;
    ++windows_;
    if (!cancels) {
        begin_ = -1;
        return;
    }
    const std::int64_t run = windows_ - begin_;
    if (run < minWindows) return;
    cancelled_ += run == minWindows ? minWindows : 1;
    if (!first_ || first_->begin == begin_) first_ = Cancelled{.begin = begin_, .end = windows_};
}

double ChannelMix::seconds(std::int64_t windows) const {
    return static_cast<double>(windows * windowFrames_) / sampleRate_;
}

std::optional<std::string> ChannelMix::warning() const {
    if (const double lost = loss(); isOdd(lost))
        return fmt::format("its channels cancel each other out ({}), so that little is left in their mix; {}",
                           std::isinf(lost) ? "nothing is left" : fmt::format("{:.0f} dB are lost", lost),
                           advice);
    if (!first_) return std::nullopt;
    const std::int64_t others = cancelled_ - (first_->end - first_->begin);
    return fmt::format("its channels cancel each other out from {:.1f} to {:.1f} s{}, so that little is left "
                       "there in their mix; {}",
                       seconds(first_->begin), seconds(first_->end),
                       others > 0 ? fmt::format(" and for {:.1f} s more", seconds(others)) : std::string(),
                       advice);
}

} // namespace earshot::audio
