// What a stream has to show: its status and the history that was heard, for whoever watches. The worker
// writes it, views mirror it; one mutex guards all of it and one generation tells histories apart, so that
// nobody ever sees parts of two.
//   status(), copySince(), update()   any thread; none waits for a pass of the network
//   the rest                          the worker
//
// A history with a limit stays within so many bytes, however long the stream runs. Columns older than ten
// minutes are rounded to float16 (see Timeline::round()). Over the limit the oldest stretch goes first,
// whichever part it is of, by whole chunks: columns and spectrogram reach back equally far, to a chunk, and
// each takes what that costs (of 527 sounds 3.3 kB and 0.8 kB a second: 128 MB are the last 8 h). What is
// being written always stays. Mirrors share the chunks, which count once; one that stands still (a frozen
// view) holds on to what it had, at most as much again.
#pragma once

#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Windows/Timeline.h"
#include "Core/Frontend/LogMelSettings.h"
#include "Core/Streaming/AudioRing.h"
#include "Core/Streaming/Source.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace earshot::streaming {

class LiveHistory {
  public:
    Status status() const;
    bool copySince(History& copy) const;

    // A new history. timeline: the analyzer's, which was just made or reset; times: as known at its
    // beginning.
    void begin(std::shared_ptr<const detection::Labels> labels, const detection::Timeline& timeline,
               const frontend::LogMelSettings& frontend, TimeMap times = {});
    // The same timeline, as it is by now. It need not keep what was settled in it before.
    void add(const detection::Timeline& timeline);
    void addFrames(std::span<const float> logMel); // (frames, melBands) in dB
    void addTime(const TimeSegment& segment);
    const TimeMap& times() const { return times_; }
    // Bytes; 0: everything is kept as it is.
    void setLimit(std::int64_t bytes);
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
    Kept kept() const;
    void trim();

    mutable std::mutex mutex_;
    Status status_; // but for `heard` and `kept`
    const AudioRing* ring_ = nullptr;
    std::int64_t origin_ = 0;
    std::shared_ptr<const detection::Labels> labels_;
    std::optional<detection::Timeline> timeline_; // none before the first model
    SpectrogramHistory spectrogram_;
    TimeMap times_;
    std::int64_t limit_ = 0;
};

} // namespace earshot::streaming
