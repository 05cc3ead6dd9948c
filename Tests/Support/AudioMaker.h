// Small audio files and signals for tests, written through libsndfile into a temporary folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace earshot::test {

// A new folder that is removed with its contents at the end of the test.
class TemporaryDirectory {
  public:
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

enum class AudioFormat { wavPcm16, wavFloat, rf64Float, w64Float, aiffPcm16, flacPcm16, vorbis, opus, mp3 };

// Whether the installed libsndfile can write the format (older ones lack MP3).
bool canWrite(AudioFormat format);

// samples: (frames, channels), interleaved.
void writeAudio(const std::filesystem::path& file, AudioFormat format, int sampleRate, int channels,
                std::span<const float> samples);

// Writes 16 bit PCM with a header that claims any rate and channel count.
struct WavHeader {
    std::uint32_t sampleRate = 32000;
    std::uint16_t channels = 1;
};
void writeRawWav(const std::filesystem::path& file, const WavHeader& header,
                 std::span<const std::int16_t> samples);

void writeBytes(const std::filesystem::path& file, const std::string& bytes);
std::string readBytes(const std::filesystem::path& file);
// Keeps only the first part of the file.
void truncate(const std::filesystem::path& file, double fraction);

std::vector<float> sine(double hertz, double seconds, int sampleRate, float amplitude = 0.5f);
// Uniform in [-amplitude, amplitude]; the same seed gives the same values everywhere.
std::vector<float> noise(std::size_t samples, std::uint32_t seed, float amplitude = 0.5f);

} // namespace earshot::test
