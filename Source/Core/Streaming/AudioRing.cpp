#include "Core/Streaming/AudioRing.h"

#include <algorithm>
#include <cmath>

namespace earshot::streaming {

namespace {

constexpr double jumpSeconds = 0.005; // a host's position is at most this far off while it does not jump
constexpr std::size_t partSamples = 8192;

HostTime usable(const HostTime& host) {
    return host.playing && std::isfinite(host.seconds) ? host : HostTime{};
}

} // namespace

AudioRing::AudioRing(double sampleRate, double seconds)
    : sampleRate_(sampleRate)
    , samples_(static_cast<std::size_t>(sampleRate * seconds) + chunkSamples)
    , part_(partSamples) {
    // Touch all of the memory now, so that the audio thread causes no page faults.
    while (samples_.push(part_.data(), part_.size()) == part_.size()) {
    }
    samples_.reset();
}

void AudioRing::push(std::span<const float> mono, const HostTime& host) noexcept EARSHOT_REALTIME {
    HostTime time = host;
    while (!mono.empty()) {
        const auto chunk = mono.first(std::min(mono.size(), chunkSamples));
        if (!tryPush(chunk, time)) {
            position_.fetch_add(static_cast<std::int64_t>(chunk.size()), std::memory_order_release);
            dropped_.fetch_add(1, std::memory_order_relaxed);
        }
        time.seconds += static_cast<double>(chunk.size()) / sampleRate_;
        mono = mono.subspan(chunk.size());
    }
}

bool AudioRing::tryPush(std::span<const float> chunk, const HostTime& host) noexcept EARSHOT_REALTIME {
    if (chunk.empty()) return true;
    if (samples_.write_available() < chunk.size()) return false;
    const std::int64_t position = position_.load(std::memory_order_relaxed);
    const bool gap = position != written_ + gaps_;
    const HostTime time = usable(host);
    if (gap || jumps(time, position)) {
        // The mark is pushed before the samples, so that a worker that sees the samples also sees the mark.
        const Mark mark{written_, position, time};
        const bool marked = marks_.push(mark);
        if (gap && !marked) return false;
        // If there is no room for a jump's mark, the next chunk tries again.
        if (marked) {
            anchor_ = mark;
            gaps_ = position - written_;
        }
    }
    samples_.push(chunk.data(), chunk.size());
    written_ += static_cast<std::int64_t>(chunk.size());
    position_.store(position + static_cast<std::int64_t>(chunk.size()), std::memory_order_release);
    return true;
}

bool AudioRing::jumps(const HostTime& host, std::int64_t position) const {
    if (host.playing != anchor_.host.playing) return true;
    if (!host.playing) return false;
    const double since = static_cast<double>(position - anchor_.position) / sampleRate_;
    return std::abs(host.seconds - (anchor_.host.seconds + since)) > jumpSeconds;
}

std::optional<AudioRing::Part> AudioRing::pop() {
    // Count the samples before looking at the marks: every mark within these samples is then in its queue.
    const std::size_t available = samples_.read_available();
    Part part;
    const auto nextMark = [this] {
        if (mark_.written == never) marks_.pop(mark_);
    };
    nextMark();
    if (mark_.written == read_) {
        part.gap = mark_.position - (read_ + skipped_);
        part.host = mark_.host;
        skipped_ += part.gap;
        mark_.written = never;
        nextMark();
    }
    std::size_t count = std::min({available, part_.size(), static_cast<std::size_t>(mark_.written - read_)});
    count = samples_.pop(part_.data(), count);
    read_ += static_cast<std::int64_t>(count);
    const auto samples = std::span(part_).first(count);
    std::ranges::replace_if(
        samples, [](float sample) { return !std::isfinite(sample); }, 0.0f);
    part.samples = samples;
    if (count == 0 && !part.host) return std::nullopt;
    return part;
}

} // namespace earshot::streaming
