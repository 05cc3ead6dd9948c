// Writes sound as WAV or FLAC into a file that appears whole. Each sample is stored exactly if the format has
// room for it. Memory does not grow with the file. One thread at a time.
#pragma once

#include "Core/Audio/StoredFormat.h"
#include "Core/Base/WholeFile.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace earshot::audio {

struct SoundShape {
    int sampleRate = 0; // Hz
    int channels = 0;
    StoredFormat stored;
    std::int64_t frames = 0; // about how many will come: a WAV that would exceed 4 GB becomes RF64
    std::string title = {};  // INAM or TITLE; empty: none
    std::string date = {};   // when the sound began (ISO 8601), as ICRD or DATE; empty: none

    // The nearest form that FLAC has: 24 bits instead of 32 or floating point.
    SoundShape asFlac() const;
};

// The sample as the integer that is stored, in the upper bits of 32; exact for a sample that was stored so.
// Samples beyond full scale are clipped, and NaN is 0.
std::int32_t storedInteger(double sample, Samples samples);

class SoundWriter {
  public:
    // `file` outlives the writer and is committed after finish(). Throws earshot::Error, naming the file, if
    // the format has no such rate or number of channels.
    SoundWriter(WholeFile& file, const SoundShape& shape);
    ~SoundWriter();
    SoundWriter(const SoundWriter&) = delete;
    SoundWriter& operator=(const SoundWriter&) = delete;

    // samples: (frames, channels), full scale is 1. Throws WriteError as WholeFile does.
    void write(std::span<const double> samples);
    void finish();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::audio
