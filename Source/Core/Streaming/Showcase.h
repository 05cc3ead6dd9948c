// What the worker of a session lets other threads see: its status and the history it writes.
//   status(), copySince()   any thread; wait for no pass of the network
//   update()                any thread
//   everything else         the worker
#pragma once

#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Frontend/LogMelSettings.h"
#include "Core/Streaming/AudioRing.h"
#include "Core/Streaming/Source.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

namespace earshot::streaming {

class Showcase {
  public:
    Status status() const;
    bool copySince(History& copy) const;

    // A new history. The analyzer's timeline is shown from here on; it was just made or reset.
    void replace(std::shared_ptr<const detection::Labels> labels,
                 std::shared_ptr<const detection::Analyzer> analyzer,
                 const frontend::LogMelSettings& frontend);
    void addFrames(std::span<const float> logMel) { spectrogram_.append(logMel); }
    void addTime(const TimeSegment& segment);
    const TimeMap& times() const { return times_; }
    // Status::heard is what has come into this ring since the position `origin`; null: it stays as it is.
    void follow(const AudioRing* ring, std::int64_t origin);

    // change: of the Status it is given.
    template <typename Change>
    void update(Change&& change) {
        const std::lock_guard lock(mutex_);
        change(status_);
    }

  private:
    double heard() const;

    mutable std::mutex mutex_;
    Status status_;
    const AudioRing* ring_ = nullptr;
    std::int64_t origin_ = 0;
    std::shared_ptr<const detection::Labels> labels_;
    std::shared_ptr<const detection::Analyzer> analyzer_;
    SpectrogramHistory spectrogram_;
    TimeMap times_;
    std::uint64_t generation_ = 0;
};

} // namespace earshot::streaming
