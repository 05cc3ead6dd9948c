#include "Core/Streaming/KeptAudio.h"

#include "Core/Audio/SixteenBit.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>

namespace earshot::streaming {

namespace {

std::atomic<int> keepers = 0; // how many keep audio in this process

} // namespace

void KeptAudio::reset(int rate) {
    assert(rate > 0);
    chunks_.clear();
    begin_ = position_ = 0;
    rate_ = rate;
}

void KeptAudio::beginAt(std::int64_t position) {
    assert(position <= begin_);
    begin_ -= position;
    position_ -= position;
}

void KeptAudio::keep(bool on) {
    if (on != keeps_) keepers += on ? 1 : -1;
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
    const auto most = std::llround(maxSeconds * rate_);
    while (begin_ + chunkSamples <= position_ - most) forgetOldest();
    const std::int64_t share = processBytes / std::max(1, keepers.load());
    while (bytes() > share && forgetOldest()) {
    }
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
    samples.resize(static_cast<std::size_t>(size()));
    copy(0, samples);
}

void KeptAudio::Stretch::copy(std::int64_t offset, std::span<float> samples) const {
    assert(offset >= 0 && offset + static_cast<std::int64_t>(samples.size()) <= size());
    auto target = samples.begin();
    for (std::int64_t at = first_ + offset; target != samples.end();) {
        const auto& chunk = *chunks_[static_cast<std::size_t>((at - begin_) / chunkSamples)];
        const std::int64_t within = (at - begin_) % chunkSamples;
        const std::int64_t count =
            std::min(chunkSamples - within, static_cast<std::int64_t>(samples.end() - target));
        target = std::transform(chunk.begin() + within, chunk.begin() + within + count, target,
                                audio::fromSixteenBit);
        at += count;
    }
}

} // namespace earshot::streaming
