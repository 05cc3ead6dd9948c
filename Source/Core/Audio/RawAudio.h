// Samples as they come through a pipe, with the header of a WAV file or without one. Functions are pure: any
// thread.
#pragma once

#include "Core/Audio/PipeInput.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::audio {

// How samples without a header are stored: interleaved.
struct RawFormat {
    enum class Kind { unsignedInteger, integer, real };

    Kind kind = Kind::integer;
    int bytes = 2; // of a sample
    bool bigEndian = false;
    int rate = 0; // Hz
    int channels = 1;

    std::size_t frameBytes() const {
        return static_cast<std::size_t>(bytes) * static_cast<std::size_t>(channels);
    }
};

// The kind, the bytes and their order by the names that ffmpeg and SoX use: u8, s16le, s16be, s24le, s24be,
// s32le, s32be, f32le, f32be, f64le, f64be. Null for others.
std::optional<RawFormat> rawFormatNamed(std::string_view name);
std::vector<std::string> rawFormatNames();

// Converts samples as libsndfile does: integers are divided by half their range. `bytes` holds as many whole
// samples as `samples`.
void convertRaw(const RawFormat& format, std::span<const char> bytes, std::span<float> samples);

// A WAV, RF64 or BW64 file with PCM or IEEE samples, up to its audio.
struct WavHead {
    RawFormat format;
    std::int64_t begin = 0;                 // of the audio: bytes
    std::optional<std::int64_t> bytes = {}; // of the audio; null: the writer did not know
};
// Reads the head of the pipe, at most PipeInput::maxKept bytes, which stay kept. Returns null if it is
// something else.
std::optional<WavHead> readWavHead(PipeInput& pipe);

// Reads the samples of a pipe as they come. One thread at a time.
class RawReader {
  public:
    // From `head.begin` on.
    RawReader(std::shared_ptr<PipeInput> pipe, const WavHead& head);

    const RawFormat& format() const { return head_.format; }
    // Returns how many frames were read into (frames, channels): all unless the audio ends.
    std::size_t read(std::span<float> samples);
    const std::optional<std::int64_t>& counted() const { return head_.bytes; } // bytes of audio, by the head
    // After the end: the chunks behind the audio, as far as they fit into PipeInput::maxKept.
    const std::string& trailer() const { return trailer_; }

  private:
    std::size_t fill(std::size_t bytes);
    std::size_t goOnBehindCount();

    std::shared_ptr<PipeInput> pipe_;
    WavHead head_;
    std::int64_t position_ = 0;
    std::vector<char> buffer_;
    std::size_t buffered_ = 0;
    bool exceeded_ = false;
    std::string trailer_;
};

} // namespace earshot::audio
