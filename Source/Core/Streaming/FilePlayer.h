// Plays a recording. A reader thread decodes and resamples into a ring buffer, and the audio thread takes
// blocks out of it, wait-free. Mono plays on both sides. Channels beyond the second are not played.
//   read(), position()     the audio thread; position() any thread
//   everything else        the owner's thread (message thread)
#pragma once

#include "Core/Base/Realtime.h"

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace earshot::streaming {

class FilePlayer {
  public:
    static constexpr double minSpeed = 0.25, maxSpeed = 4.0;
    static constexpr double minLoop = 0.05; // seconds, because the reader seeks each time

    FilePlayer();
    ~FilePlayer();
    FilePlayer(const FilePlayer&) = delete;
    FilePlayer& operator=(const FilePlayer&) = delete;

    // Sets the output's sample rate (Hz) and stops playing. Call it before read().
    void prepare(double sampleRate);
    // Opens `recording` and stays stopped at its beginning. Throws earshot::Error if it cannot be opened.
    // channel: what plays on both sides, as audio::ReadOptions has it; 0: the first two channels.
    void open(const std::filesystem::path& recording, int channel = 0);
    void close();

    void play();
    void stop();
    void seek(double seconds);
    // Plays the stretch from `onset` to `offset` (seconds) again and again, from its onset on and without a
    // gap, until stopLoop(), seek(), open() or close(). It lies within the recording and is at least
    // minLoop long. stop() and play() pause it and go on.
    void loop(double onset, double offset);
    void stopLoop(); // plays on from where it is
    // Moves the ends of the loop, or makes one, without starting: playing goes on where it is, or at the
    // onset if that lies outside.
    void setLoop(double onset, double offset);
    struct Loop {
        double onset = 0.0, offset = 0.0; // seconds
        bool operator==(const Loop&) const = default;
    };
    std::optional<Loop> looped() const; // any thread
    // As seek(), but a loop around that moment goes on.
    void jump(double seconds);
    // Plays a moment at a position, as while a play head is dragged: the sound fades out where it was and in
    // there, and ends after scrubFrames until the next call. endScrub() plays on from the last position, or
    // stops there, as it was before the first scrub(). Between the two a loop waits; it goes on afterwards if
    // it is around that position.
    void scrub(double seconds);
    void endScrub();
    static constexpr std::size_t scrubFrames = 6144; // at the output's rate
    // Plays so many times as fast, as a tape does: the pitch changes with it. It goes on where it is.
    void setSpeed(double speed);
    double speed() const;
    bool playing() const;    // becomes false at the end of the recording
    double position() const; // seconds of the recording, where the last read() ended
    double length() const;   // seconds; 0: nothing is open, or the file does not state its length

    // Fills `left` and `right` (equal sizes) and returns true while playing, with silence where the reader
    // was too slow. Returns false and leaves both untouched while stopped.
    bool read(std::span<float> left, std::span<float> right) noexcept EARSHOT_REALTIME;

  private:
    struct Impl;

    void leaveBehind();
    void setRate();
    void jumpTo(double seconds);

    std::mutex owner_;            // held by each of the owner's functions
    double outputRate_ = 48000.0; // Hz
    std::atomic<double> speed_{1.0};
    bool scrubs_ = false, playedBefore_ = false; // between scrub() and endScrub(); before it
    std::shared_ptr<Impl> impl_;
    std::atomic<Impl*> heard_;                // impl_.get(), readable from every thread
    std::vector<std::shared_ptr<Impl>> left_; // earlier ones whose reader did not end in time
};

} // namespace earshot::streaming
