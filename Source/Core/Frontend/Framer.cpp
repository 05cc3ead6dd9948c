#include "Core/Frontend/Framer.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::frontend {

namespace {

// Length of the buffer in frames. A longer buffer is moved to its front less often.
constexpr std::size_t bufferFrames = 4;
constexpr float maxSample = 1e12f;

float usableSample(float sample) {
    return std::isfinite(sample) ? std::clamp(sample, -maxSample, maxSample) : 0.0f;
}

} // namespace

Framer::Framer(int frameSize, int hopSize)
    : frameSize_(static_cast<std::size_t>(frameSize))
    , hopSize_(static_cast<std::size_t>(hopSize))
    , padding_(frameSize_ / 2)
    , buffer_(bufferFrames * frameSize_) {
    assert(frameSize >= 2 && frameSize % 2 == 0 && hopSize >= 1 && hopSize <= frameSize);
    reset();
}

void Framer::reset() {
    filled_ = padding_; // the first samples stand behind the room for their own reflection
    nextStart_ = 0;
    frameStart_ = 0;
    samples_ = 0;
    frames_ = 0;
    startPadded_ = false;
    finished_ = false;
}

bool Framer::next(std::span<const float>& samples) {
    assert(samples.empty() || !finished_);
    while (!frameReady()) {
        if (samples.empty()) return false;
        append(samples);
    }
    frameStart_ = nextStart_;
    nextStart_ += hopSize_;
    ++frames_;
    return true;
}

bool Framer::frameReady() const {
    if (!startPadded_ || nextStart_ + frameSize_ > filled_) return false;
    // The padding at the end would also allow frames centred beyond the clip.
    return !finished_ || frames_ <= samples_ / static_cast<std::int64_t>(hopSize_);
}

void Framer::append(std::span<const float>& samples) {
    const std::size_t missing =
        nextStart_ + frameSize_ + 1 - filled_; // + 1: padStart() reads sample padding_
    const std::size_t count = std::min(samples.size(), missing);
    makeRoom(count);
    std::ranges::transform(samples.first(count), buffer_.begin() + static_cast<std::ptrdiff_t>(filled_),
                           usableSample);
    filled_ += count;
    samples_ += static_cast<std::int64_t>(count);
    samples = samples.subspan(count);
    if (!startPadded_ && samples_ > static_cast<std::int64_t>(padding_)) padStart(samples_);
}

void Framer::makeRoom(std::size_t count) {
    if (filled_ + count <= buffer_.size()) return;
    // Keeps the next frame's samples, and those that the end of the clip may reflect.
    const std::size_t kept = std::min(nextStart_, filled_ - (padding_ + 1));
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(kept),
              buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
    filled_ -= kept;
    nextStart_ -= kept;
    assert(filled_ + count <= buffer_.size());
}

void Framer::padStart(std::int64_t clipSamples) {
    const auto padding = static_cast<std::int64_t>(padding_);
    for (std::int64_t i = 0; i < padding; ++i)
        buffer_[static_cast<std::size_t>(i)] =
            buffer_[static_cast<std::size_t>(padding + reflectedIndex(i - padding, clipSamples))];
    startPadded_ = true;
}

void Framer::finish() {
    assert(!finished_);
    finished_ = true;
    if (samples_ == 0) return;
    if (!startPadded_) padStart(samples_);
    makeRoom(padding_);
    // The buffer still holds this much of the clip's end, and no more is reflected.
    const std::int64_t known = std::min<std::int64_t>(samples_, static_cast<std::int64_t>(padding_) + 1);
    const float* end = buffer_.data() + filled_ - known; // (known) last samples
    for (std::size_t i = 0; i < padding_; ++i)
        buffer_[filled_ + i] = end[reflectedIndex(known + static_cast<std::int64_t>(i), known)];
    filled_ += padding_;
}

} // namespace earshot::frontend
