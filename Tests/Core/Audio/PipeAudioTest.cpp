#include "Core/Audio/AudioFile.h"
#include "Core/Audio/RawAudio.h"
#include "Core/Base/Error.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <bit>
#include <random>

using namespace earshot;
using namespace earshot::audio;
using test::AudioFormat;

namespace {

// A pipe that brings these bytes in pieces of random sizes.
std::shared_ptr<PipeInput> pipeOf(const std::string& bytes, unsigned seed = 1) {
    return std::make_shared<PipeInput>(
        [bytes, at = std::size_t{0}, random = std::mt19937(seed)](char* to, std::size_t room) mutable {
            const std::size_t count = std::min({room, std::size_t{1} + random() % 7000, bytes.size() - at});
            std::copy_n(bytes.data() + at, count, to);
            at += count;
            return static_cast<std::ptrdiff_t>(count);
        },
        "pipe", [] { return false; });
}

std::vector<float> allOf(AudioFile& file) {
    std::vector<float> samples, part(1000);
    while (const auto count = file.read(part))
        samples.insert(samples.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(count));
    return samples;
}

std::vector<float> throughPipe(const std::string& bytes, const std::optional<RawFormat>& format = {}) {
    auto file = AudioFile::fromPipe(pipeOf(bytes), {}, format);
    REQUIRE(file);
    return allOf(*file);
}

void putSize(std::string& wav, std::uint32_t bytes) {
    for (std::size_t i = 0; i < 4; ++i) wav[wav.find("data") + 4 + i] = static_cast<char>(bytes >> (8 * i));
}

} // namespace

TEST_CASE("a pipe gives the samples of the file, bit for bit", "[unit]") {
    const test::TemporaryDirectory folder;
    for (const AudioFormat format :
         {AudioFormat::wavPcm16, AudioFormat::wavFloat, AudioFormat::rf64Float, AudioFormat::flacPcm16})
        for (const int channels : {1, 2, 5}) {
            CAPTURE(static_cast<int>(format), channels);
            const auto path = folder / "sound";
            const auto frames = static_cast<std::size_t>(20'011);
            test::writeAudio(path, format, 22'050, channels,
                             test::noise(frames * static_cast<std::size_t>(channels), 3));
            AudioFile file(path);
            const auto expected = allOf(file);
            auto piped = AudioFile::fromPipe(pipeOf(test::readBytes(path)));
            REQUIRE(piped);
            CHECK(piped->sampleRate() == 22'050);
            CHECK(piped->channels() == channels);
            CHECK(allOf(*piped) == expected);
            CHECK_FALSE(piped->oddLength());
        }
}

TEST_CASE("a WAV whose header counts nothing, too much or too little is read to its end", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto path = folder / "sound.wav";
    test::writeAudio(path, AudioFormat::wavPcm16, 16'000, 1, test::noise(50'000, 4));
    AudioFile file(path);
    const auto expected = allOf(file);
    auto wav = test::readBytes(path);
    for (const std::uint32_t unknown : {0u, 0xffffffffu, 0x7ffff000u, 0x80000000u}) {
        putSize(wav, unknown);
        CHECK(throughPipe(wav) == expected);
    }
    putSize(wav, 20'000); // of 100,000 bytes: what follows is no chunk
    auto more = AudioFile::fromPipe(pipeOf(wav));
    REQUIRE(allOf(*more) == expected);
    CHECK_THAT(more->oddLength().value_or(""), ContainsSubstring("the audio goes on"));
    putSize(wav, 1'000'000);
    auto less = AudioFile::fromPipe(pipeOf(wav));
    REQUIRE(allOf(*less) == expected);
    CHECK_THAT(less->oddLength().value_or(""), ContainsSubstring("of the 31.25 s in its header"));
}

TEST_CASE("chunks behind the audio of a pipe are no audio, and time expansion there is refused", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto path = folder / "sound.wav";
    test::writeAudio(path, AudioFormat::wavPcm16, 16'000, 1, test::noise(30'000, 4));
    AudioFile file(path);
    const auto expected = allOf(file);
    const auto wav = test::readBytes(path);
    const auto chunk = [](const std::string& name, const std::string& text) {
        return name + static_cast<char>(text.size()) + std::string(3, '\0') + text;
    };
    CHECK(throughPipe(wav + chunk("LIST", "INFOISFT")) == expected);
    CHECK(throughPipe(wav + chunk("LIST", "INFO") + std::string(3'000'000, ' ')) == expected);
    auto expanded =
        AudioFile::fromPipe(pipeOf(wav + chunk("guan", "GUANO|Version: 1.0\nSamplerate: 160000\nTE: 10\n")));
    std::vector<float> all(expected.size());
    CHECK(expanded->read(all) == expected.size());
    CHECK(all == expected);
    std::string message;
    try {
        expanded->read(all);
    } catch (const Error& error) {
        message = error.what();
    }
    CHECK_THAT(message, ContainsSubstring("TE") && ContainsSubstring("--speed 10"));
}

TEST_CASE("samples without a header are converted as their format says", "[unit]") {
    const std::vector<float> values = {0.0f, 0.5f, -0.5f, -1.0f, 0.25f, -0.0078125f};
    for (const auto& name : rawFormatNames()) {
        CAPTURE(name);
        auto format = rawFormatNamed(name).value();
        format.rate = 8000;
        std::string bytes;
        for (const float value : values) {
            const double range = std::exp2(8 * format.bytes - 1);
            std::uint64_t word = 0;
            if (format.kind == RawFormat::Kind::real)
                word = format.bytes == 4 ? std::bit_cast<std::uint32_t>(value)
                                         : std::bit_cast<std::uint64_t>(static_cast<double>(value));
            else
                word = static_cast<std::uint64_t>(static_cast<std::int64_t>(value * range));
            if (format.kind == RawFormat::Kind::unsignedInteger) word += 128;
            for (int i = 0; i < format.bytes; ++i) {
                const int shift = format.bigEndian ? format.bytes - 1 - i : i;
                bytes += static_cast<char>(word >> (8 * shift));
            }
        }
        CHECK(throughPipe(bytes, format) == values);
        bytes += '\x7f'; // a part of a sample is none
        if (format.bytes > 1) CHECK(throughPipe(bytes, format) == values);
    }
    CHECK_FALSE(rawFormatNamed("s12le"));
}

TEST_CASE("what a pipe cannot give as it comes is copied, from its first byte on", "[unit]") {
    const test::TemporaryDirectory folder;
    for (const AudioFormat format : {AudioFormat::vorbis, AudioFormat::aiffPcm16, AudioFormat::wavPcm16}) {
        const auto path = folder / "sound";
        test::writeAudio(path, format, 22'050, 1, test::noise(30'000, 5));
        AudioFile file(path);
        const ReadOptions options{.autoGain = format == AudioFormat::wavPcm16};
        const auto pipe = pipeOf(test::readBytes(path));
        CHECK_FALSE(AudioFile::fromPipe(pipe, options));
        auto copy = AudioFile::copyOf(*pipe, options);
        CHECK(allOf(copy) == allOf(file));
    }
    const auto odd = pipeOf("RIFFxxxxWAVE" + std::string("junk\x04\0\0\0abcdfmt ", 16));
    CHECK_FALSE(AudioFile::fromPipe(odd));
    CHECK_THROWS_AS(AudioFile::copyOf(*odd), Error);
    CHECK_FALSE(AudioFile::fromPipe(pipeOf("")));
}
