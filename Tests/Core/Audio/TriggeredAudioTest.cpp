// AudioMoth's T.WAV: what was left out comes back as silence, at the right times.
#include "Core/Audio/TriggeredAudio.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/AudioTools.h"
#include "Core/Audio/Containers.h"
#include "Core/Audio/WavBytes.h"
#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <random>
#include <string>
#include <vector>

using namespace earshot;
using audio::AudioFile;

namespace {

constexpr int blockSamples = 256;
constexpr unsigned rate = 8000;
using Samples = std::vector<std::int16_t>;

// 32 samples that are the bits of a number, and 224 zeros.
Samples leftOut(std::uint32_t blocks) {
    Samples samples(blockSamples, 0);
    for (int bit = 0; bit < 32; ++bit) samples[static_cast<std::size_t>(bit)] = (blocks >> bit) & 1u ? 1 : -1;
    return samples;
}

Samples loud(int count, unsigned seed) {
    Samples samples;
    std::mt19937 random(seed);
    for (int i = 0; i < count; ++i) samples.push_back(static_cast<std::int16_t>(1000 + random() % 20000));
    return samples;
}

void append(Samples& samples, const Samples& more) {
    samples.insert(samples.end(), more.begin(), more.end());
}

// A recording with its quiet stretches left out, and the same with them.
struct Recording {
    Samples stored, whole;

    void sound(int count, unsigned seed) {
        const auto samples = loud(count, seed);
        append(stored, samples);
        append(whole, samples);
    }
    void quiet(std::uint32_t blocks) {
        append(stored, leftOut(blocks));
        whole.resize(whole.size() + std::size_t{blocks} * blockSamples);
    }
};

Recording example() {
    Recording recording;
    recording.sound(12, 1); // the header of 488 bytes and these are a block
    recording.quiet(31);
    recording.sound(20 * blockSamples, 2);
    recording.quiet(0x123);
    recording.quiet(1);
    recording.sound(3 * blockSamples + 77, 3);
    return recording;
}

const std::string comment =
    "Recorded at 03:30:00 15/05/2026 (UTC) by AudioMoth 0123456789ABCDEF at medium gain. "
    "Amplitude threshold was 1% with 1s minimum trigger duration.";

// As AudioMoth writes it, in 488 bytes.
std::string audioMothHeader(const std::string& text) {
    std::string padded = text;
    padded.resize(384);
    const std::string info =
        "INFO" + test::wavChunk("ICMT", padded) + test::wavChunk("IART", std::string(32, 'A'));
    return test::wavChunk("fmt ", test::wavFormat(1, 1, rate, 16)) + test::wavChunk("LIST", info);
}

std::string triggeredWav(const Samples& samples, const std::string& text = comment,
                         const std::string& behind = {}) {
    return test::wavFile(audioMothHeader(text) + test::wavChunk("data", test::pcm16(samples)) + behind);
}

std::vector<float> floats(const Samples& samples) {
    std::vector<float> values;
    for (const std::int16_t sample : samples) values.push_back(static_cast<float>(sample) / 32768.0f);
    return values;
}

} // namespace

TEST_CASE("What AudioMoth left out comes back as silence", "[unit][triggered]") {
    const test::TemporaryDirectory directory;
    const Recording recording = example();
    const auto path = directory / "20260515_033000T.WAV";
    const std::string guano = test::wavChunk("guan", "GUANO|Version:1.0\nMake:Open Acoustic Devices\n");
    for (const std::string& behind : {std::string(), guano}) {
        test::writeBytes(path, triggeredWav(recording.stored, comment, behind));
        AudioFile file(path);
        CHECK(file.sampleRate() == static_cast<int>(rate));
        CHECK(file.frames() == static_cast<std::int64_t>(recording.whole.size()));
        REQUIRE(test::readAll(file) == floats(recording.whole));
        CHECK_FALSE(file.oddLength());
        // Positions, too, are those of the whole recording.
        for (const std::size_t at : {0u, 11u, 12u, 40u * 256u, 200u * 256u + 5u}) {
            file.seek(static_cast<std::int64_t>(at));
            std::vector<float> block(3 * blockSamples);
            REQUIRE(file.read(block) > 0);
            const auto whole = floats(recording.whole);
            REQUIRE(std::equal(block.begin(), block.end(), whole.begin() + static_cast<std::ptrdiff_t>(at)));
        }
    }
}

TEST_CASE("Left-out silence is found whatever the file is called, and wherever its audio begins",
          "[unit][triggered]") {
    const test::TemporaryDirectory directory;
    const Recording recording = example();
    // Renamed: the comment tells.
    test::writeBytes(directory / "dawn.wav", triggeredWav(recording.stored));
    AudioFile renamed(directory / "dawn.wav");
    CHECK(test::readAll(renamed) == floats(recording.whole));
    // Copied by a program that drops the comment: the name tells, and blocks no longer lie at multiples of
    // 512.
    const auto copied = directory / "24E14403_20260515_033000T.wav";
    test::writeBytes(copied, test::wavFile(test::wavChunk("fmt ", test::wavFormat(1, 1, rate, 16)) +
                                           test::wavChunk("LIST", std::string(26, 'x')) +
                                           test::wavChunk("data", test::pcm16(recording.stored))));
    AudioFile copy(copied);
    CHECK(test::readAll(copy) == floats(recording.whole));
    // Power was lost: the header counts no audio.
    std::string lost = triggeredWav(recording.stored);
    lost.replace(484, 4, 4, '\0');
    test::writeBytes(directory / "20260515_040000T.WAV", lost);
    AudioFile uncounted(directory / "20260515_040000T.WAV");
    CHECK(test::readAll(uncounted) == floats(recording.whole));
}

TEST_CASE("A recording in which nothing was left out stays as it is", "[unit][triggered]") {
    const test::TemporaryDirectory directory;
    Samples samples = loud(4000, 5);
    append(samples, leftOut(0)); // stands for nothing
    Samples almost = leftOut(7);
    almost[40] = 1;
    append(samples, almost);
    const auto path = directory / "20260515_033000T.WAV";
    test::writeBytes(path, triggeredWav(samples));
    AudioFile file(path);
    CHECK(test::readAll(file) == floats(samples));
    // Not AudioMoth's at all: such samples are sound.
    append(samples, leftOut(7));
    test::writeBytes(directory / "synth.wav", triggeredWav(samples, "made by a synthesizer"));
    AudioFile other(directory / "synth.wav");
    CHECK(test::readAll(other) == floats(samples));
}

TEST_CASE("A converted T.WAV is refused with the name of the maker's tool", "[unit][triggered]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "20260515_033000T.flac";
    test::writeAudio(path, test::AudioFormat::flacPcm16, rate, 1, floats(example().stored));
    const std::string message = test::messageOf(path);
    CHECK_THAT(message, ContainsSubstring("20260515_033000T.flac: ") &&
                            ContainsSubstring("AudioMoth Configuration App") &&
                            ContainsSubstring("Expand AudioMoth T.WAV Files"));
    // Without such blocks it is a recording as any other.
    test::writeAudio(path, test::AudioFormat::flacPcm16, rate, 1, floats(example().whole));
    AudioFile expanded(path);
    CHECK(test::readAll(expanded).size() == example().whole.size());
}

TEST_CASE("More silence than a recording can have is an error, not two years of zeros", "[unit][triggered]") {
    const test::TemporaryDirectory directory;
    Recording recording;
    recording.sound(12, 1);
    append(recording.stored, leftOut(0xffffffff));
    const auto path = directory / "20260515_033000T.WAV";
    test::writeBytes(path, triggeredWav(recording.stored));
    CHECK_THAT(test::messageOf(path), ContainsSubstring("at most 48 hours") && ContainsSubstring("damaged"));
}

TEST_CASE("A recording that is longer with its silence than a WAV can be has all of its time",
          "[unit][triggered]") {
    const test::TemporaryDirectory directory;
    constexpr std::uint32_t blocks = (std::uint32_t{1} << 23) + 100; // of 512 bytes: more than 4 GiB
    constexpr unsigned fast = 48000;                                 // 12.4 hours
    Samples stored = loud(blockSamples, 1);
    append(stored, leftOut(blocks));
    append(stored, loud(blockSamples, 2));
    const auto path = directory / "20260515_000000T.WAV";
    test::writeBytes(path, test::wavFile(test::wavChunk("fmt ", test::wavFormat(1, 1, fast, 16)) +
                                         test::wavChunk("data", test::pcm16(stored))));
    AudioFile file(path);
    const std::int64_t frames = (std::int64_t{blocks} + 2) * blockSamples;
    CHECK(file.frames() == frames);
    file.seek(frames - blockSamples);
    std::vector<float> last(2 * blockSamples);
    REQUIRE(file.read(last) == blockSamples);
    last.resize(blockSamples);
    CHECK(last == floats(loud(blockSamples, 2)));
}

TEST_CASE("Any bytes in a T.WAV are read in bounded time, or are an error", "[unit][triggered]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "20260515_033000T.WAV";
    const std::string whole = triggeredWav(example().stored);
    std::mt19937 random(7);
    int read = 0;
    for (int round = 0; round < 400; ++round) {
        std::string bytes = whole.substr(0, round % 4 == 0 ? random() % whole.size() : whole.size());
        for (auto change = random() % 6; change > 0 && !bytes.empty(); --change) {
            // Most of them in the header and in the first blocks.
            const std::size_t at =
                random() % std::min<std::size_t>(bytes.size(), round % 2 == 0 ? 600 : 20000);
            bytes[at] = static_cast<char>(random());
        }
        test::writeBytes(path, bytes);
        try {
            AudioFile file(path);
            std::vector<float> block(4096);
            // A count that a change made larger is silence for hours: a part of it is enough.
            for (int blocks = 0; blocks < 100 && file.read(block) > 0; ++blocks) ++read;
            file.seek(file.frames() / 2);
            file.read(block);
        } catch (const Error&) {
        }
    }
    CHECK(read > 100);
}
