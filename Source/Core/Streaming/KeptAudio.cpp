#include "Core/Streaming/KeptAudio.h"

#include "Core/Audio/SixteenBit.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::streaming {

void KeptAudio::reset(int rate) {
    assert(rate > 0);
    chunks_.clear();
    begin_ = position_ = 0;
    rate_ = rate;
}

void KeptAudio::keep(bool on) {
    keeps_ = on;
    if (on) return;
    chunks_ = {};
    begin_ = position_;
}

void KeptAudio::add(std::span<const float> samples) {
    if (!keeps_) {
        position_ += static_cast<std::int64_t>(samples.size());
        begin_ = position_;
        return;
    }
    while (!samples.empty()) {
        const std::int64_t room =
            begin_ + static_cast<std::int64_t>(chunks_.size()) * chunkSamples - position_;
        if (room == 0) {
            chunks_.push_back(std::make_shared<Chunk>(static_cast<std::size_t>(chunkSamples)));
            continue;
        }
        const auto count = std::min(samples.size(), static_cast<std::size_t>(room));
        std::ranges::transform(samples.first(count), chunks_.back()->end() - room, audio::toSixteenBit);
        position_ += static_cast<std::int64_t>(count);
        samples = samples.subspan(count);
    }
    const auto most = std::llround(longestSeconds * rate_);
    while (begin_ + chunkSamples <= position_ - most) forgetOldest();
}

bool KeptAudio::forgetOldest() {
    if (chunks_.size() < 2) return false;
    chunks_.erase(chunks_.begin());
    begin_ += chunkSamples;
    return true;
}

std::int64_t KeptAudio::bytes() const {
    return static_cast<std::int64_t>(chunks_.size() * sizeof(std::int16_t)) * chunkSamples;
}

double KeptAudio::since() const { return static_cast<double>(begin_) / rate_; }

KeptAudio::Stretch KeptAudio::stretch(double from, double to) const {
    const auto position = [this](double seconds) {
        const double samples = std::round(seconds * rate_);
        if (!(samples > static_cast<double>(begin_))) return begin_; // NaN, too
        return samples < static_cast<double>(position_) ? static_cast<std::int64_t>(samples) : position_;
    };
    Stretch part;
    part.rate_ = rate_;
    part.first_ = position(from);
    part.end_ = std::max(part.first_, position(to));
    part.begin_ = begin_;
    if (part.empty()) return part;
    const std::int64_t firstChunk = (part.first_ - begin_) / chunkSamples;
    const std::int64_t lastChunk = (part.end_ - 1 - begin_) / chunkSamples;
    part.begin_ += firstChunk * chunkSamples;
    part.chunks_.assign(chunks_.begin() + firstChunk, chunks_.begin() + lastChunk + 1);
    return part;
}

void KeptAudio::Stretch::copyTo(std::vector<float>& samples) const {
    samples.resize(static_cast<std::size_t>(end_ - first_));
    auto target = samples.begin();
    for (std::int64_t at = first_; at < end_;) {
        const auto& chunk = *chunks_[static_cast<std::size_t>((at - begin_) / chunkSamples)];
        const std::int64_t within = (at - begin_) % chunkSamples;
        const std::int64_t count = std::min(chunkSamples - within, end_ - at);
        target = std::transform(chunk.begin() + within, chunk.begin() + within + count, target,
                                audio::fromSixteenBit);
        at += count;
    }
}

} // namespace earshot::streaming
