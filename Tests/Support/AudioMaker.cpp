#include "Support/AudioMaker.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>
#include <random>
#include <stdexcept>

#include <sndfile.h>

namespace earshot::test {

namespace {

// SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, spelled out for libsndfile before 1.1.
constexpr int mpegLayer3 = 0x230000 | 0x0082;

int sndfileFormat(AudioFormat format) {
    switch (format) {
    case AudioFormat::wavPcm16:
        return SF_FORMAT_WAV | SF_FORMAT_PCM_16;
    case AudioFormat::wavFloat:
        return SF_FORMAT_WAV | SF_FORMAT_FLOAT;
    case AudioFormat::rf64Float:
        return SF_FORMAT_RF64 | SF_FORMAT_FLOAT;
    case AudioFormat::w64Float:
        return SF_FORMAT_W64 | SF_FORMAT_FLOAT;
    case AudioFormat::aiffPcm16:
        return SF_FORMAT_AIFF | SF_FORMAT_PCM_16;
    case AudioFormat::flacPcm16:
        return SF_FORMAT_FLAC | SF_FORMAT_PCM_16;
    case AudioFormat::vorbis:
        return SF_FORMAT_OGG | SF_FORMAT_VORBIS;
    case AudioFormat::opus:
        return SF_FORMAT_OGG | SF_FORMAT_OPUS;
    case AudioFormat::mp3:
        return mpegLayer3;
    }
    throw std::logic_error("unknown format");
}

template <typename Word>
void appendLittleEndian(std::string& bytes, Word word) {
    for (std::size_t i = 0; i < sizeof(Word); ++i)
        bytes.push_back(static_cast<char>((static_cast<std::uint64_t>(word) >> (8 * i)) & 0xffu));
}

} // namespace

TemporaryDirectory::TemporaryDirectory() {
    std::random_device random;
    do {
        path_ = std::filesystem::temp_directory_path() / ("earshot-test-" + std::to_string(random()));
    } while (!std::filesystem::create_directory(path_)); // another program may have the name
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

bool canWrite(AudioFormat format) {
    SF_INFO info{};
    info.samplerate = 48000;
    info.channels = 1;
    info.format = sndfileFormat(format);
    return sf_format_check(&info) != 0;
}

void writeAudio(const std::filesystem::path& file, AudioFormat format, int sampleRate, int channels,
                std::span<const float> samples) {
    SF_INFO info{};
    info.samplerate = sampleRate;
    info.channels = channels;
    info.format = sndfileFormat(format);
    SNDFILE* sound = sf_open(file.string().c_str(), SFM_WRITE, &info);
    if (sound == nullptr) throw std::runtime_error(file.string() + ": " + sf_strerror(nullptr));
    const auto frames = static_cast<sf_count_t>(samples.size()) / channels;
    // Writes in parts, because libsndfile's Vorbis encoder keeps the samples of one call on the stack.
    sf_count_t written = 0;
    while (written < frames) {
        const sf_count_t part = std::min<sf_count_t>(frames - written, 4096);
        if (sf_writef_float(sound, samples.data() + written * channels, part) != part) break;
        written += part;
    }
    sf_close(sound);
    if (written != frames) throw std::runtime_error(file.string() + ": not written");
}

void writeRawWav(const std::filesystem::path& file, const WavHeader& header,
                 std::span<const std::int16_t> samples) {
    const auto dataBytes = static_cast<std::uint32_t>(samples.size_bytes());
    const auto frameBytes = static_cast<std::uint16_t>(2 * header.channels);
    std::string bytes = "RIFF";
    appendLittleEndian(bytes, 36 + dataBytes);
    bytes += "WAVEfmt ";
    appendLittleEndian(bytes, std::uint32_t{16});
    appendLittleEndian(bytes, std::uint16_t{1}); // PCM
    appendLittleEndian(bytes, header.channels);
    appendLittleEndian(bytes, header.sampleRate);
    appendLittleEndian(bytes, header.sampleRate * frameBytes);
    appendLittleEndian(bytes, frameBytes);
    appendLittleEndian(bytes, std::uint16_t{16}); // bits a sample
    bytes += "data";
    appendLittleEndian(bytes, dataBytes);
    for (const std::int16_t sample : samples) appendLittleEndian(bytes, static_cast<std::uint16_t>(sample));
    writeBytes(file, bytes);
}

void writeBytes(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream stream(file, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!stream.flush()) throw std::runtime_error(file.string() + ": not written");
}

std::string readBytes(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error(file.string() + ": not readable");
    return {std::istreambuf_iterator<char>(stream), {}};
}

void truncate(const std::filesystem::path& file, double fraction) {
    const auto bytes = static_cast<double>(std::filesystem::file_size(file));
    std::filesystem::resize_file(file, static_cast<std::uintmax_t>(bytes * fraction));
}

std::vector<float> sine(double hertz, double seconds, int sampleRate, float amplitude) {
    std::vector<float> samples(static_cast<std::size_t>(std::llround(seconds * sampleRate)));
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double phase = 2.0 * std::numbers::pi * hertz * static_cast<double>(i) / sampleRate;
        samples[i] = amplitude * static_cast<float>(std::sin(phase));
    }
    return samples;
}

std::vector<float> noise(std::size_t samples, std::uint32_t seed, float amplitude) {
    std::mt19937 generator(seed);
    std::vector<float> values(samples);
    for (float& value : values) {
        const double unit = static_cast<double>(generator()) / 4294967295.0; // 0 to 1
        value = static_cast<float>((2.0 * unit - 1.0) * static_cast<double>(amplitude));
    }
    return values;
}

} // namespace earshot::test
