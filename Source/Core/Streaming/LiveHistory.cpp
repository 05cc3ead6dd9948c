#include "Core/Streaming/LiveHistory.h"

#include "Core/Base/Generation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace earshot::streaming {

namespace {

constexpr double secondsInFull = 600.0; // the newest settled columns, which are not rounded

} // namespace

Status LiveHistory::status() const {
    const std::lock_guard lock(mutex_);
    Status status = status_;
    status.heard = heard();
    status.kept = kept();
    if (!refusal_.empty()) {
        status.state = State::failed;
        status.message = refusal_;
    }
    return status;
}

void LiveHistory::refuse(std::string reason) {
    const std::lock_guard lock(mutex_);
    refusal_ = std::move(reason);
}

double LiveHistory::heard() const {
    if (ring_ == nullptr) return status_.heard;
    return static_cast<double>(ring_->position() - origin_) / ring_->sampleRate();
}

Kept LiveHistory::kept() const {
    Kept kept{.limit = limit_, .columns = {}, .spectrogram = {}, .vectors = {}, .audio = {}};
    if (!timeline_) return kept;
    kept.columns = {.bytes = timeline_->bytes(), .since = timeline_->start(timeline_->firstKept())};
    kept.spectrogram = {.bytes = spectrogram_.bytes(),
                        .since =
                            static_cast<double>(spectrogram_.firstKept()) * spectrogram_.secondsPerFrame()};
    if (vectors_)
        kept.vectors = {.bytes = vectors_->bytes(), .since = vectors_->start(vectors_->firstKept())};
    if (audio_.bytes() > 0) kept.audio = {.bytes = audio_.bytes(), .since = audio_.since()};
    return kept;
}

void LiveHistory::follow(const AudioRing* ring, std::int64_t origin) {
    const std::lock_guard lock(mutex_);
    if (ring == nullptr) status_.heard = heard(); // the value at the stream's end
    ring_ = ring;
    origin_ = origin;
}

bool LiveHistory::copySince(History& copy) const {
    const std::lock_guard lock(mutex_);
    if (!timeline_) return false;
    bool changed = copy.generation != timeline_->generation();
    if (changed) {
        copy.generation = timeline_->generation();
        copy.stream = stream_;
        copy.labels = labels_;
        copy.times.clear();
    }
    if (!copy.timeline)
        copy.timeline =
            std::make_unique<detection::Timeline>(timeline_->classes(), timeline_->secondsPerColumn());
    changed |= timeline_->copySince(*copy.timeline);
    changed |= spectrogram_.copySince(copy.spectrogram);
    changed |= times_.copySince(copy.times);
    return changed;
}

void LiveHistory::begin(std::shared_ptr<const detection::Labels> labels, const detection::Timeline& timeline,
                        const frontend::LogMelSettings& frontend, TimeMap times,
                        const detection::Timeline* vectors, std::optional<std::int64_t> audioFrom) {
    const std::lock_guard lock(mutex_);
    const auto copyOf = [](const detection::Timeline& original) {
        detection::Timeline copy(original.classes(), original.secondsPerColumn());
        original.continueIn(copy);
        return copy;
    };
    labels_ = std::move(labels);
    timeline_ = copyOf(timeline);
    vectors_.reset();
    if (vectors != nullptr) vectors_ = copyOf(*vectors);
    spectrogram_.reset(frontend.melBands, static_cast<double>(frontend.hopSize) / frontend.sampleRate,
                       frontend.lowHz, frontend.highHz);
    if (audioFrom)
        audio_.beginAt(*audioFrom);
    else
        audio_.reset(frontend.sampleRate);
    times_ = std::move(times);
    stream_ = nextGeneration();
    status_.heard = 0.0;
}

double LiveHistory::resume() {
    const std::lock_guard lock(mutex_);
    const double frame = spectrogram_.secondsPerFrame();
    const std::int64_t inColumn = std::llround(timeline_->secondsPerColumn() / frame); // frames
    // What was not heard, because no model was there, becomes silence, too.
    const auto heard =
        std::max(spectrogram_.frames(), static_cast<std::int64_t>(std::ceil(status_.heard / frame)));
    const std::int64_t column = (heard + inColumn - 1) / inColumn;
    const std::int64_t end = column * inColumn; // in frames
    const std::vector<float> quiet(static_cast<std::size_t>(spectrogram_.bands()), frontend::silenceDecibels);
    while (spectrogram_.frames() < end) spectrogram_.append(quiet);
    const std::vector<float> silence(static_cast<std::size_t>(std::llround(frame * audio_.rate())));
    const auto size = static_cast<std::int64_t>(silence.size());
    while (audio_.position() < end * size)
        audio_.add(std::span(silence).first(
            static_cast<std::size_t>(std::min(size, end * size - audio_.position()))));
    const double start = static_cast<double>(column) * timeline_->secondsPerColumn();
    times_.add({.stream = start, .shown = start, .host = false});
    trim();
    return start;
}

void LiveHistory::add(const detection::Timeline& timeline, const detection::Timeline* vectors) {
    const std::lock_guard lock(mutex_);
    timeline.continueIn(*timeline_);
    if (vectors_ && vectors != nullptr) {
        vectors->continueIn(*vectors_);
        vectors_->round(vectors_->settled());
    }
    trim();
}

void LiveHistory::rescore(std::shared_ptr<const detection::Labels> labels,
                          const detection::Timeline& timeline) {
    const std::lock_guard lock(mutex_);
    labels_ = std::move(labels);
    status_.classes = labels_->count();
    timeline.continueIn(*timeline_);
    trim();
}

void LiveHistory::addFrames(std::span<const float> logMel) {
    const std::lock_guard lock(mutex_);
    spectrogram_.append(logMel);
    trim();
}

void LiveHistory::addAudio(std::span<const float> samples) {
    const std::lock_guard lock(mutex_);
    audio_.add(samples);
    trim();
}

void LiveHistory::keepAudio(bool on) {
    const std::lock_guard lock(mutex_);
    audio_.keep(on);
}

KeptAudio::Stretch LiveHistory::audio(double from, double to) const {
    const std::lock_guard lock(mutex_);
    return audio_.stretch(from, to);
}

bool LiveHistory::copyAudio(std::uint64_t stream, double from, double to, std::vector<float>& samples,
                            double& start, int& rate) const {
    KeptAudio::Stretch stretch;
    {
        const std::lock_guard lock(mutex_);
        if (stream == stream_) stretch = audio_.stretch(from, to);
    }
    if (stretch.empty()) return false;
    stretch.copyTo(samples); // the worker need not wait for ten minutes to be copied
    start = stretch.start();
    rate = stretch.rate();
    return true;
}

void LiveHistory::addTime(const TimeSegment& segment) {
    const std::lock_guard lock(mutex_);
    times_.add(segment);
}

void LiveHistory::setLimit(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
    if (timeline_) trim();
}

void LiveHistory::trim() {
    if (limit_ <= 0) return;
    detection::Timeline& timeline = *timeline_;
    const auto inFull = static_cast<std::int64_t>(secondsInFull / timeline.secondsPerColumn());
    timeline.round(std::max<std::int64_t>(0, timeline.settled() - inFull));
    const auto forgetOldest = [](detection::Timeline& columns) {
        const auto first = columns.firstKept();
        columns.forget(std::min(first + detection::Timeline::columnsPerChunk, columns.settled()));
        return columns.firstKept() != first;
    };
    // A column goes with its vector, from which it could not be scored again.
    const auto forgetColumns = [&] {
        const bool forgot = vectors_ && forgetOldest(*vectors_);
        return forgetOldest(timeline) || forgot;
    };
    const auto forgetFrames = [this] { return spectrogram_.forgetOldest(); };
    for (bool forgot = true; forgot;) {
        const Kept now = kept();
        if (now.bytes() <= limit_) break;
        const bool audioFirst = now.audio.bytes > 0 && now.audio.since <= now.columns.since &&
                                now.audio.since <= now.spectrogram.since;
        if (audioFirst && audio_.forgetOldest()) continue;
        forgot = now.columns.since <= now.spectrogram.since ? forgetColumns() || forgetFrames()
                                                            : forgetFrames() || forgetColumns();
        if (!forgot) forgot = audio_.forgetOldest();
    }
}

} // namespace earshot::streaming
