// Reads audio files block by block as float32, mono or all channels: WAV, AIFF, FLAC, OGG, MP3, RF64, W64 and
// whatever else libsndfile opens, at any rate and channel count. 16-bit samples become value / 32768.
//
// Memory does not grow with the file. Samples that are NaN or infinite count as silence and are counted.
// One thread at a time.
#pragma once

#include "Core/Audio/PipeInput.h"
#include "Core/Audio/RawAudio.h"
#include "Core/Audio/ReadOptions.h"
#include "Core/Audio/StoredFormat.h"
#include "Core/Base/RegularFile.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::audio {

class AudioFile {
  public:
    // Throws UnreachableError (Base/RegularFile.h) when the file is missing or cannot be read. Throws Error
    // when it is not audio, holds no samples, or has a rate outside 1 kHz to 1 MHz. A pipe is an Error at
    // once, unless pipes are allowed: then it is read to its end first, as standard input is. AudioMoth's
    // recordings without their quiet stretches are read with them (TriggeredAudio.h), or an Error.
    explicit AudioFile(const std::filesystem::path& file, Pipes pipes = Pipes::refused,
                       const ReadOptions& options = {});
    // Reads standard input to its end first (to an unnamed temporary file), then decodes it.
    static AudioFile fromStandardInput(const ReadOptions& options = {});
    // Reads a pipe as its audio comes: WAV with PCM or IEEE samples, FLAC, or samples without a header of
    // `format`. The audio may have no end. Returns null for what needs its end first (another kind of file,
    // a gain of "auto", each channel by itself); what was read of it is kept then (copyOf()). Waits for the
    // first audio. seek() and chooseChannel() are not possible. Throws Error as the constructor does.
    static std::optional<AudioFile> fromPipe(const std::shared_ptr<PipeInput>& pipe,
                                             const ReadOptions& options = {},
                                             const std::optional<RawFormat>& format = {});
    // Reads the rest of such a pipe to its end first.
    static AudioFile copyOf(PipeInput& pipe, const ReadOptions& options = {});

    AudioFile(AudioFile&&) noexcept;
    AudioFile& operator=(AudioFile&&) noexcept;
    ~AudioFile();

    int sampleRate() const; // Hz; the file's own, times the speed
    int channels() const;
    std::int64_t frames() const; // from the header, 0 if it has none; decoding may end earlier
    const StoredFormat& stored() const;

    const ReadOptions& options() const;
    // The channels of which read() gives the mean, from 0: the chosen one, or those of the mix
    // (ChannelLayout.h).
    std::span<const std::size_t> mixedChannels() const;
    // Begins again, with another channel (ReadOptions::channel). Throws Error if the file has no such
    // channel.
    void chooseChannel(int channel);

    // Fills `mono` (the mean of the mixed channels) and returns how many frames were read; 0 at the end.
    // Throws earshot::Error, with the time, when decoding fails part-way, the file ends too early, or more
    // audio follows.
    std::size_t read(std::span<float> mono);
    // The same without the mean: `samples` is (frames, channels) and holds a whole number of frames.
    std::size_t readInterleaved(std::span<float> samples);
    // The same, exact for whatever the file stores, also what is not finite. Not for pipes.
    std::size_t readStored(std::span<double> samples);
    // Continues at that frame, or at the end if there are fewer. Exact except for lossy formats, where it is
    // as near as the decoder gets. Throws earshot::Error when the file cannot be opened again.
    void seek(std::int64_t frame);

    // Whether the operating system failed to read on (a disk or network failure). An Error then says nothing
    // about the audio.
    bool readFailed() const;

    // Samples (over all channels) so far that were NaN or infinite.
    std::int64_t nonFiniteSamples() const;
    // How many dB the mean of the channels lies below the channels themselves (RMS without offsets), over
    // what read() has returned: 0 for one channel or silence, 3 for two that have nothing in common, and
    // infinite for two of which one is the other turned over.
    double mixLoss() const;
    // What the user is to know of the channels and the speed that were read so far: clauses.
    std::vector<std::string> remarks() const;

    // What is odd about the file's length after all of it has been read, and what to do: a clause for the
    // user.
    std::optional<std::string> oddLength() const;

  private:
    struct Impl;
    explicit AudioFile(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// The bytes of a mono FLAC file (see AudioWriter.h). Pure function: any thread. Throws earshot::Error when
// FLAC has no such sample rate (Hz): it has those from 1 Hz to 65,535 Hz, and multiples of 10 up to 655,350
// Hz.
std::string encodeFlac(std::span<const std::int16_t> mono, int sampleRate);

// The library's name and version, as "libsndfile 1.2.0".
std::string fileLibrary();

} // namespace earshot::audio
