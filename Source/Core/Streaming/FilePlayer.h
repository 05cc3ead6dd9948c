// Plays a recording. A reader thread decodes and resamples into a ring buffer, and the audio thread takes
// blocks out of it, wait-free. Mono plays on both sides. Channels beyond the second are not played.
//   read(), position()     the audio thread; position() any thread
//   everything else        the owner's thread (message thread)
#pragma once

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/Resampler.h"
#include "Core/Base/Realtime.h"

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
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

    std::mutex owner_;            // held by each of the owner's functions
    double outputRate_ = 48000.0; // Hz
    std::atomic<double> speed_{1.0};
    std::shared_ptr<Impl> impl_;
    std::atomic<Impl*> heard_;                // impl_.get(), readable from every thread
    std::vector<std::shared_ptr<Impl>> left_; // earlier ones whose reader did not end in time
};

// Reads a recording block by block as two channels at another sample rate, for playing, not for analysing.
// One thread at a time.
class StereoReader {
  public:
    StereoReader(audio::AudioFile file, double outputRate); // Hz

    double length() const;                 // seconds; 0: the file does not state its length
    void setOutputRate(double outputRate); // Hz; call seek() before the next read()
    // Continues at `seconds`. A position that cannot be read counts as the end.
    void seek(double seconds);
    void end(); // makes read() return false until the next seek()
    // Appends the next block, at most a second, to both. Returns false at the end; a damaged file ends early.
    // Mono is the same on both sides, and so are a chosen channel and W of ambisonics. Channels beyond the
    // second are left out.
    bool read(std::vector<float>& left, std::vector<float>& right);

  private:
    std::size_t decode();

    audio::AudioFile file_;
    audio::Resampler left_;
    audio::Resampler right_;
    std::vector<float> interleaved_; // (frames, channels)
    std::vector<float> channel_;     // (frames)
    bool ended_ = false;
};

} // namespace earshot::streaming
