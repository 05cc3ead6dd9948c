#include "Core/Streaming/Showcase.h"

#include "Core/Base/Generation.h"

#include <utility>

namespace earshot::streaming {

Status Showcase::status() const {
    const std::lock_guard lock(mutex_);
    Status status = status_;
    status.heard = heard();
    return status;
}

double Showcase::heard() const {
    if (ring_ == nullptr) return status_.heard;
    return static_cast<double>(ring_->position() - origin_) / ring_->sampleRate();
}

void Showcase::follow(const AudioRing* ring, std::int64_t origin) {
    const std::lock_guard lock(mutex_);
    if (ring == nullptr) status_.heard = heard(); // as it was at the end
    ring_ = ring;
    origin_ = origin;
}

bool Showcase::copySince(History& copy) const {
    const std::lock_guard lock(mutex_);
    if (!analyzer_) return false;
    const detection::Timeline& timeline = analyzer_->timeline();
    bool changed = copy.generation != generation_;
    if (changed) {
        copy.generation = generation_;
        copy.labels = labels_;
        copy.times.clear();
    }
    if (!copy.timeline)
        copy.timeline =
            std::make_unique<detection::Timeline>(timeline.classes(), timeline.secondsPerColumn());
    changed |= timeline.copySince(*copy.timeline);
    changed |= spectrogram_.copySince(copy.spectrogram);
    changed |= times_.copySince(copy.times);
    return changed;
}

void Showcase::replace(std::shared_ptr<const detection::Labels> labels,
                       std::shared_ptr<const detection::Analyzer> analyzer,
                       const frontend::LogMelSettings& frontend) {
    const std::lock_guard lock(mutex_);
    labels_ = std::move(labels);
    analyzer_ = std::move(analyzer);
    spectrogram_.reset(frontend.melBands, static_cast<double>(frontend.hopSize) / frontend.sampleRate,
                       frontend.lowHz, frontend.highHz);
    times_.clear();
    status_.heard = 0.0;
    generation_ = nextGeneration();
}

void Showcase::addTime(const TimeSegment& segment) {
    const std::lock_guard lock(mutex_);
    times_.add(segment);
}

} // namespace earshot::streaming
