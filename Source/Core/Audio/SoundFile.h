// libsndfile over the bytes of an InputFile. One thread at a time for each file.
#pragma once

#include "Core/Audio/Containers.h"
#include "Core/Audio/InputFile.h"
#include "Core/Audio/StoredFormat.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace earshot::audio {

// What libsndfile learns when it seeks to the end of a file. For an MP3 without a length header it estimates
// the length from the bit rate of the first frames, and reads no further, if it knows how many bytes there
// are.
enum class End {
    known,
    unknown, // libsndfile 1.2.0 and older: reads to the end
    absent,  // libsndfile 1.2.2: counts the frames of the whole file first
};

// The bytes that libsndfile reads.
struct Source {
    InputFile input;
    End end = End::known;
    std::vector<Correction> corrections = {};
};

struct SoundInfo {
    enum class Kind { other, wav, mpeg, ogg };

    std::int64_t frames = 0; // by the header; 0 or the largest number: not known
    int samplerate = 0;      // Hz
    int channels = 0;
    Kind kind = Kind::other;
    StoredFormat stored;
};

class SoundFile {
  public:
    SoundFile() = default; // none

    // None if libsndfile does not open it; `why` says so in words. `from` outlives the file.
    static SoundFile open(Source& from, SoundInfo& info, std::string& why);

    explicit operator bool() const { return file_ != nullptr; }
    void reset() { file_.reset(); }

    // Frames, interleaved; 0 at the end or after a failure.
    std::int64_t read(float* samples, std::int64_t frames);
    std::int64_t read(std::int16_t* samples, std::int64_t frames);
    std::int64_t read(double* samples, std::int64_t frames); // exact, whatever is stored
    bool failed() const;
    std::int64_t seek(std::int64_t frame); // the new position, or -1

  private:
    struct Close {
        void operator()(void* file) const;
    };
    std::unique_ptr<void, Close> file_; // a SNDFILE
};

} // namespace earshot::audio
