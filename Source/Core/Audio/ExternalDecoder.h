// Decodes with ffmpeg, where it is installed and wanted, what libsndfile does not read: M4A, WMA, WebM and so
// on. ffmpeg runs as a program of its own, with limits of memory and processor time, reads nothing but the
// open file (it never sees its name, and playlists and networks are switched off), and its samples come
// through a pipe.
#pragma once

#include "Core/Audio/InputFile.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace earshot::audio {

// Whether files that libsndfile does not read are given to ffmpeg: for the whole program, before they are
// opened. Any thread.
void decodeWithFfmpeg(bool wanted);
bool decodesWithFfmpeg();

// Whether a file found in a folder counts as a recording that can be read, by the ending of its name:
// FileKinds.h's, and the foreign ones while decodesWithFfmpeg(). Any thread.
bool hasReadableExtension(const std::filesystem::path& file);

// Whether ffmpeg can be started. Any thread.
bool ffmpegIsInstalled();

// One thread at a time.
class ExternalDecoder {
  public:
    // Starts to decode the first audio stream of `input`, which must outlive the decoder. Throws Error, with
    // what ffmpeg says, if there is none.
    explicit ExternalDecoder(const InputFile& input);
    ~ExternalDecoder();

    int sampleRate() const; // Hz
    int channels() const;

    // Returns how many frames were read into (frames, channels); 0 at the end. Throws Error if ffmpeg fails
    // or gives nothing for a minute.
    std::size_t read(std::span<float> samples);
    // Continues at that frame, or at the end if there are fewer.
    void seek(std::int64_t frame);
    // What ffmpeg complained about, after the end: one line.
    std::optional<std::string> complaint() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::audio
