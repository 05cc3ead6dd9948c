// Publishes a stream's status and history. The worker writes it, and views mirror it. One mutex guards all
// parts, and one generation number identifies a history, so that no reader mixes parts of two histories.
//   status(), copySince(), audio(), copyAudio(), keepAudio(), update(), refuse()
//              any thread but the audio thread; none waits for a pass of the network
//   the rest   the worker
//
// A history with a limit stays within that many bytes, however long the stream runs. Columns older than ten
// minutes are rounded to float16 (see Timeline::round()). Over the limit, the oldest chunk is forgotten
// first, of columns, of the spectrogram or of kept audio, so that all reach back equally far, to within a
// chunk, audio ten minutes at most (KeptAudio). 527 classes take 3.3 kB of columns and 0.8 kB of spectrogram
// a second: 128 MB hold the last 8 h. Ten minutes of audio at 32 kHz take 38 MB. The chunk being written
// always stays. Where words are listened for, or may be, the vectors that columns are scored from are kept
// too, always as float16 (24 kB a second for Microsoft CLAP with 527 classes), so that other words can be
// scored over all that is kept. Mirrors share the chunks, which count once. A mirror that is no longer
// updated (a frozen view) keeps its chunks alive, at most the limit once more.
#pragma once

#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Timeline.h"
#include "Core/Frontend/LogMelSettings.h"
#include "Core/Streaming/AudioRing.h"
#include "Core/Streaming/HistoryProvider.h"
#include "Core/Streaming/KeptAudio.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::streaming {

class LiveHistory : public HistoryProvider {
  public:
    Status status() const override;
    bool copySince(History& copy) const override;
    // Returns what is kept of the stream's audio between two times, in seconds.
    KeptAudio::Stretch audio(double from, double to) const;
    // The same of the stream that History::stream names: replaces `samples`. `start` is the time of the first
    // sample, `rate` is in Hz. Returns false and changes nothing if nothing of it is kept, or if the history
    // is that of another stream by now.
    bool copyAudio(std::uint64_t stream, double from, double to, std::vector<float>& samples, double& start,
                   int& rate) const;
    // Whether the stream's audio is kept from now on. At first it is not. Off forgets it.
    void keepAudio(bool on);

    // Begins a new history. `timeline` and `vectors` (null: none) are those of the analyzer, which was just
    // made or reset. `times` is the map known at the beginning. With `audioFrom`, the history begins at that
    // position of kept audio (KeptAudio::Stretch::first()), which stays and goes on.
    void begin(std::shared_ptr<const detection::Labels> labels, const detection::Timeline& timeline,
               const frontend::LogMelSettings& frontend, TimeMap times = {},
               const detection::Timeline* vectors = nullptr, std::optional<std::int64_t> audioFrom = {});
    // Call it when a stream has ended. Another one goes on at the time that this returns, in seconds, where a
    // column begins. Until there, spectrogram and kept audio become silence.
    double resume();
    // Adds the new columns of the same timelines. They may have forgotten columns that were settled at the
    // previous call.
    void add(const detection::Timeline& timeline, const detection::Timeline* vectors = nullptr);
    // The kept vectors; null if there are none. Valid until the next call of add() or begin().
    const detection::Timeline* vectors() const { return vectors_ ? &*vectors_ : nullptr; }
    // The same history for other words: `timeline` was scored from vectors().
    void rescore(std::shared_ptr<const detection::Labels> labels, const detection::Timeline& timeline);
    void addFrames(std::span<const float> logMel); // (frames, melBands) in dB
    // The next samples of the stream, at the rate of begin()'s `frontend`, gaps included as silence.
    void addAudio(std::span<const float> samples);
    void addTime(const TimeSegment& segment);
    const TimeMap& times() const { return times_; }
    // Bytes; 0: no limit, and no column is rounded.
    void setLimit(std::int64_t bytes);
    // Status::heard then counts the audio pushed to `ring` since the position `origin`. Null freezes it.
    void follow(const AudioRing* ring, std::int64_t origin);

    // Calls change(Status&).
    template <typename Change>
    void update(Change&& change) {
        const std::lock_guard lock(mutex_);
        change(status_);
    }
    // Why no stream can run: status() is failed and says so, whatever update() writes meanwhile, until this
    // is called with an empty text.
    void refuse(std::string reason);

  private:
    double heard() const;
    Kept kept() const;
    void trim();

    mutable std::mutex mutex_;
    Status status_; // `kept` is computed by status(), and `heard` too while a ring is followed
    std::string refusal_;
    const AudioRing* ring_ = nullptr;
    std::int64_t origin_ = 0;
    std::shared_ptr<const detection::Labels> labels_;
    std::optional<detection::Timeline> timeline_; // null before the first model
    std::optional<detection::Timeline> vectors_;  // null without words
    SpectrogramHistory spectrogram_;
    KeptAudio audio_;
    TimeMap times_;
    std::uint64_t stream_ = 0; // History::stream
    std::int64_t limit_ = 0;
};

} // namespace earshot::streaming
