#include "Core/Streaming/AudioRing.h"

#include <algorithm>
#include <cmath>

namespace earshot::streaming {

namespace {

constexpr double jumpSeconds = 0.005; // a host's position is at most this far off while it does not jump
constexpr double driftSeconds = 0.05; // another play rate leads this far away before a mark tells it
constexpr double maxRateOff = 3.0;    // play rates are -2 to 4: a position that moves faster jumps
constexpr double maxBlock = 0.1;      // seconds that count of a block when its position's move is judged
constexpr double maxTime = 1e12;      // seconds
constexpr std::size_t partSamples = 8192;

HostTime usable(const HostTime& host) {
    if (!host.playing || !(std::abs(host.seconds) < maxTime)) return {};
    return {.playing = true, .seconds = host.seconds};
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
        time.goesOn = true;
        mono = mono.subspan(chunk.size());
    }
}

bool AudioRing::tryPush(std::span<const float> chunk, const HostTime& host) noexcept EARSHOT_REALTIME {
    if (chunk.empty()) return true;
    if (samples_.write_available() < chunk.size()) return false;
    const std::int64_t position = position_.load(std::memory_order_relaxed);
    const bool gap = position != written_ + gaps_;
    const auto news = host.goesOn ? std::nullopt : newsOf(usable(host), position);
    if (gap || news) {
        // The mark is pushed before the samples, so that a worker that sees the samples also sees the mark.
        const Mark mark{written_, position, news ? *news : expectedAt(position)};
        const bool marked = marks_.push(mark);
        if (gap && !marked) return false;
        // If there is no room for a jump's mark, the next block tries again.
        if (marked) {
            anchor_ = mark;
            gaps_ = position - written_;
        }
    }
    if (!host.goesOn) last_ = {written_, position, usable(host)};
    samples_.push(chunk.data(), chunk.size());
    written_ += static_cast<std::int64_t>(chunk.size());
    position_.store(position + static_cast<std::int64_t>(chunk.size()), std::memory_order_release);
    return true;
}

// The transport as it follows from the last mark.
HostTime AudioRing::expectedAt(std::int64_t position) const {
    HostTime time = anchor_.host;
    if (time.playing) time.seconds += time.rate * seconds(position - anchor_.position);
    return time;
}

// What a mark is to say of the host's transport at `position`; null: nothing, it is where it is expected. Two
// blocks do not tell a short jump from another play rate, so that both wait until they are driftSeconds off.
std::optional<HostTime> AudioRing::newsOf(const HostTime& host, std::int64_t position) const {
    const HostTime expected = expectedAt(position);
    if (host.playing != expected.playing) return host;
    if (!host.playing) return std::nullopt;
    const double off = std::abs(host.seconds - expected.seconds);
    const double passed = seconds(position - last_.position);
    const double moved = host.seconds - last_.host.seconds;
    const bool jumps = std::abs(moved - passed) > maxRateOff * std::min(passed, maxBlock) + jumpSeconds;
    if (off <= (jumps ? jumpSeconds : driftSeconds)) return std::nullopt;
    HostTime time = host;
    time.rate = (host.seconds - anchor_.host.seconds) / seconds(position - anchor_.position);
    if (jumps || std::abs(time.rate - 1.0) > maxRateOff) time.rate = expected.rate;
    return time;
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
