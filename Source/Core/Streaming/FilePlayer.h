// Plays a recording: a reader thread decodes and resamples into a ring buffer, the audio thread takes blocks
// out of it, wait-free. Mono plays on both sides; of more than two channels the first two are heard.
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
    FilePlayer();
    ~FilePlayer();
    FilePlayer(const FilePlayer&) = delete;
    FilePlayer& operator=(const FilePlayer&) = delete;

    // Hz of the output; before reading. Any playing stops.
    void prepare(double sampleRate);
    // Throws earshot::Error when it cannot be opened. Stays stopped at its beginning.
    void open(const std::filesystem::path& recording);
    void close();

    void play();
    void stop();
    void seek(double seconds);
    bool playing() const;    // false again at the end
    double position() const; // seconds: of what was last taken by read()
    double length() const;   // seconds, 0 when nothing is open or the file does not tell

    // Fills left and right (equal sizes) and returns true, or returns false and touches nothing when it does
    // not play. Silence where the reader was too slow.
    bool read(std::span<float> left, std::span<float> right) noexcept EARSHOT_REALTIME;

  private:
    struct Impl;

    void leaveBehind();

    std::mutex owner_; // one of the owner's functions at a time
    std::shared_ptr<Impl> impl_;
    std::atomic<Impl*> heard_; // impl_, for every thread
    std::vector<std::shared_ptr<Impl>> left_;
};

// A recording as two channels at another sample rate, block by block: for playing, not for analysing.
// One thread at a time.
class StereoReader {
  public:
    StereoReader(audio::AudioFile file, double outputRate); // Hz

    double length() const;                 // seconds, 0 when the file does not tell
    void setOutputRate(double outputRate); // Hz; seek() before reading on
    // Goes on there; what cannot be read counts as the end.
    void seek(double seconds);
    void end();
    // Appends the next stretch, at most a second, to both; false at the end, which comes early in a damaged
    // file. Mono is the same on both sides; channels beyond the second are left out.
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
