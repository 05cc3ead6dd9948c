#include "Core/Audio/AudioFile.h"
#include "Core/Audio/AudioTools.h"
#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Skip.h"
#include "Support/Unprivileged.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace earshot;
using audio::AudioFile;
using test::AudioFormat;
using test::messageOf;
using test::readAll;

namespace {

double worstDifference(std::span<const float> a, std::span<const float> b) {
    REQUIRE(a.size() == b.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        if (!(difference <= worst)) worst = difference; // a NaN stays
    }
    return worst;
}

double correlation(std::span<const float> a, std::span<const float> b) {
    double ab = 0.0, aa = 0.0, bb = 0.0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        ab += static_cast<double>(a[i]) * static_cast<double>(b[i]);
        aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
        bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
    }
    return ab / std::sqrt(aa * bb);
}

} // namespace

TEST_CASE("lossless formats give back their samples", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::vector<float> samples = test::noise(5000, 1);
    struct Case {
        AudioFormat format;
        double tolerance;
    };
    for (const Case& c :
         {Case{AudioFormat::wavPcm16, 1.0 / 32768}, Case{AudioFormat::wavFloat, 0.0},
          Case{AudioFormat::rf64Float, 0.0}, Case{AudioFormat::w64Float, 0.0},
          Case{AudioFormat::aiffPcm16, 1.0 / 32768}, Case{AudioFormat::flacPcm16, 1.0 / 32768}}) {
        for (const int rate : {8000, 44100, 192000}) {
            CAPTURE(static_cast<int>(c.format), rate);
            const auto path = directory / "sound";
            test::writeAudio(path, c.format, rate, 1, samples);
            AudioFile file(path);
            CHECK(file.sampleRate() == rate);
            CHECK(file.channels() == 1);
            CHECK(file.frames() == 5000);
            CHECK(file.nonFiniteSamples() == 0);
            REQUIRE(worstDifference(readAll(file), samples) <= c.tolerance);
        }
    }
}

TEST_CASE("16-bit samples become value / 32768", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::vector<std::int16_t> words = {-32768, -1, 0, 1, 16384, 32767};
    test::writeRawWav(directory / "words.wav", {}, words);
    AudioFile file(directory / "words.wav");
    const std::vector<float> samples = readAll(file);
    REQUIRE(samples.size() == words.size());
    for (std::size_t i = 0; i < words.size(); ++i)
        CHECK(samples[i] == static_cast<float>(words[i]) / 32768.0f);
}

TEST_CASE("lossy formats decode to the sound they were made of", "[unit]") {
    const test::TemporaryDirectory directory;
    const int rate = 48000;
    const std::vector<float> samples = test::sine(440.0, 2.0, rate);
    for (const AudioFormat format : {AudioFormat::vorbis, AudioFormat::opus, AudioFormat::mp3}) {
        if (!test::canWrite(format)) {
            test::skip("this libsndfile does not write format " + std::to_string(static_cast<int>(format)));
            continue;
        }
        CAPTURE(static_cast<int>(format));
        const auto path = directory / "sound";
        test::writeAudio(path, format, rate, 1, samples);
        AudioFile file(path);
        CHECK(file.sampleRate() == rate);
        const std::vector<float> decoded = readAll(file);
        CHECK(decoded.size() >= samples.size());
        REQUIRE(correlation(decoded, samples) >= 0.95);
    }
}

TEST_CASE("an MP3 without a length in its header is read to its end", "[unit]") {
    if (!test::canWrite(AudioFormat::mp3)) return test::skip("this libsndfile writes no MP3");
    const test::TemporaryDirectory directory;
    // A loud beginning and a quiet rest: the first frames' bit rate says nothing of the length.
    std::vector<float> samples = test::noise(48000, 3, 0.9f);
    samples.resize(48000 * 8, 0.0f);
    const auto path = directory / "variable.mp3";
    test::writeAudio(path, AudioFormat::mp3, 48000, 1, samples);
    std::string bytes = test::readBytes(path);
    for (const std::string tag : {"Xing", "Info"})
        if (const auto at = bytes.find(tag); at != std::string::npos) bytes.replace(at, 4, 4, '\0');
    test::writeBytes(path, bytes);
    AudioFile file(path);
    const auto stated =
        static_cast<std::size_t>(file.frames()); // 0 where libsndfile does not count the frames first
    const std::size_t decoded = readAll(file).size();
    CHECK(decoded >= samples.size());
    CHECK((stated == 0 || stated == decoded));
}

TEST_CASE("mono is the mean of all channels, in blocks of any size", "[unit]") {
    const test::TemporaryDirectory directory;
    for (const int channels : {2, 6, 1000}) {
        CAPTURE(channels);
        const std::size_t frames = 300;
        const std::vector<float> samples = test::noise(frames * static_cast<std::size_t>(channels), 2);
        std::vector<float> mean(frames);
        for (std::size_t i = 0; i < samples.size(); ++i)
            mean[i / static_cast<std::size_t>(channels)] += samples[i] / static_cast<float>(channels);
        const auto path = directory / "channels.wav";
        test::writeAudio(path, AudioFormat::wavFloat, 44100, channels, samples);
        for (const std::size_t block : {1u, 7u, 4096u}) {
            AudioFile file(path);
            CHECK(file.channels() == channels);
            REQUIRE(worstDifference(readAll(file, block), mean) <= 1e-5);
        }
    }
}

TEST_CASE("samples that are not finite count as silence in their channel", "[unit]") {
    const test::TemporaryDirectory directory;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> samples = {nan, 0.5f, infinity, -infinity, 0.25f, 0.75f}; // (3, 2)
    test::writeAudio(directory / "nan.wav", AudioFormat::wavFloat, 32000, 2, samples);
    AudioFile file(directory / "nan.wav");
    CHECK(readAll(file) == std::vector<float>{0.25f, 0.0f, 0.5f});
    CHECK(file.nonFiniteSamples() == 3);
}

TEST_CASE("what the mix of the channels loses is known", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto first = test::noise(32000, 1), other = test::noise(32000, 2);
    const auto loss = [&](float share, float turned) { // the second channel: of the other noise, of the first
        std::vector<float> samples;
        for (std::size_t i = 0; i < first.size(); ++i)
            samples.insert(samples.end(), {first[i], share * other[i] - turned * first[i]});
        test::writeAudio(directory / "two.wav", AudioFormat::wavFloat, 32000, 2, samples);
        AudioFile file(directory / "two.wav");
        readAll(file);
        return file.mixLoss();
    };
    CHECK(loss(0.0f, -1.0f) == Approx(0.0).margin(0.01));
    CHECK(loss(1.0f, 0.0f) == Approx(3.0).margin(0.2));
    CHECK(loss(0.0f, 0.98f) == Approx(40.0).margin(0.2)); // a hundredth is left
    CHECK(std::isinf(loss(0.0f, 1.0f)));

    std::vector<float> offset; // which nobody hears
    for (const float sample : first) offset.insert(offset.end(), {sample + 0.5f, sample - 0.5f});
    test::writeAudio(directory / "offset.wav", AudioFormat::wavFloat, 32000, 2, offset);
    AudioFile shifted(directory / "offset.wav");
    readAll(shifted);
    CHECK(shifted.mixLoss() == Approx(0.0).margin(0.01));

    test::writeAudio(directory / "one.wav", AudioFormat::wavFloat, 32000, 1, first);
    AudioFile one(directory / "one.wav");
    readAll(one);
    CHECK(one.mixLoss() == Approx(0.0).margin(0.01));
}

TEST_CASE("very short files are read whole", "[unit]") {
    const test::TemporaryDirectory directory;
    for (const std::size_t length : {1u, 10u}) {
        test::writeAudio(directory / "short.wav", AudioFormat::wavFloat, 32000, 1, test::noise(length, 4));
        AudioFile file(directory / "short.wav");
        CHECK(readAll(file) == test::noise(length, 4));
    }
}

TEST_CASE("a UTF-8 file name opens", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "M\xc3\xb6we \xe9\xb3\xa5.flac";
    test::writeAudio(path, AudioFormat::flacPcm16, 32000, 1, test::noise(100, 5));
    AudioFile file(path);
    CHECK(readAll(file).size() == 100);
}

TEST_CASE("files that are no audio are named with what to do", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeBytes(directory / "empty.wav", "");
    test::writeBytes(directory / "text.wav", "This is a shopping list.\n");
    test::writeRawWav(directory / "header.wav", {}, {});
    test::writeRawWav(directory / "rate0.wav", {.sampleRate = 0}, std::vector<std::int16_t>(100));
    test::writeRawWav(directory / "rate999.wav", {.sampleRate = 999}, std::vector<std::int16_t>(100));
    test::writeRawWav(directory / "rate2e31.wav", {.sampleRate = 0x80000000u},
                      std::vector<std::int16_t>(100));
    test::writeRawWav(directory / "channels0.wav", {.channels = 0}, std::vector<std::int16_t>(100));
    test::writeRawWav(directory / "channels65535.wav", {.channels = 65535}, std::vector<std::int16_t>(100));
    for (const std::string name :
         {"missing.wav", "empty.wav", "text.wav", "header.wav", "rate0.wav", "rate999.wav", "rate2e31.wav",
          "channels0.wav", "channels65535.wav", "."}) {
        CAPTURE(name);
        const std::string message = messageOf(directory / name);
        CHECK_THAT(message, ContainsSubstring((directory / name).string() + ": ") && ContainsSubstring("; "));
        CHECK(message.find('\n') == std::string::npos);
    }
    CHECK_THAT(messageOf(directory / "missing.wav"), ContainsSubstring("no such file"));
    CHECK_THAT(messageOf(directory / "header.wav"), ContainsSubstring("holds no audio"));
    CHECK_THAT(messageOf(directory / "."), ContainsSubstring("is a folder"));
    CHECK_THAT(messageOf("/dev/null"), ContainsSubstring("is a device"));
    REQUIRE(::mkfifo((directory / "pipe.wav").c_str(), 0600) == 0); // without a writer
    CHECK_THAT(messageOf(directory / "pipe.wav"), ContainsSubstring("is a pipe"));
}

TEST_CASE("what is wrong with a file does not depend on files that open beside it", "[unit][threads]") {
    const test::TemporaryDirectory directory;
    const auto text = directory / "text.wav";
    const auto sound = directory / "sound.wav";
    test::writeBytes(text, "This is a shopping list.\n");
    test::writeAudio(sound, AudioFormat::wavFloat, 32000, 1, test::noise(100, 5));
    std::atomic<bool> done{false};
    std::thread beside([&] {
        while (!done) AudioFile{sound};
    });
    std::set<std::string> messages;
    for (int i = 0; i < 5000; ++i) messages.insert(messageOf(text));
    done = true;
    beside.join();
    REQUIRE(messages.size() == 1);
    CHECK_THAT(*messages.begin(), ContainsSubstring("not an audio file of a known format"));
}

TEST_CASE("an unreadable file is reported as that", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "secret.wav";
    test::writeAudio(path, AudioFormat::wavFloat, 32000, 1, test::noise(100, 5));
    std::filesystem::permissions(path, std::filesystem::perms::none);
    std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
    const test::Unprivileged user;
    if (!user.holds()) return test::skip("root cannot become another user here");
    CHECK_THAT(messageOf(path), ContainsSubstring("check its permissions"));
}

TEST_CASE("a truncated file gives what can be decoded, then says at which time it ends", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::vector<float> samples = test::noise(48000 * 4, 6, 0.3f);
    for (const AudioFormat format :
         {AudioFormat::flacPcm16, AudioFormat::vorbis, AudioFormat::opus, AudioFormat::mp3}) {
        if (!test::canWrite(format)) {
            test::skip("this libsndfile does not write format " + std::to_string(static_cast<int>(format)));
            continue;
        }
        CAPTURE(static_cast<int>(format));
        const auto path = directory / "cut";
        test::writeAudio(path, format, 48000, 1, samples);
        test::truncate(path, 0.6);
        AudioFile file(path);
        std::vector<float> block(1000);
        std::size_t count = 0;
        std::string message;
        try {
            while (const std::size_t read = file.read(block)) count += read;
        } catch (const Error& error) {
            message = error.what();
        }
        CHECK(count > 48000);
        CHECK(count < 3 * 48000);
        char time[32];
        std::snprintf(time, sizeof(time), " %.2f s", static_cast<double>(count) / 48000);
        CHECK_THAT(message, ContainsSubstring(time));
        if (format == AudioFormat::flacPcm16) // its decoder notices; of the others only the length tells
            CHECK_THAT(message, ContainsSubstring("cannot be decoded beyond"));
        // The end stays the end.
        CHECK_THROWS_AS(file.read(block), Error);
    }
}

TEST_CASE("all channels are read side by side", "[unit]") {
    const test::TemporaryDirectory directory;
    for (const int channels : {1, 2, 5}) {
        const auto samples = test::noise(static_cast<std::size_t>(3000 * channels), 8);
        test::writeAudio(directory / "wide.wav", AudioFormat::wavFloat, 32000, channels, samples);
        for (const std::size_t frames : {1u, 7u, 5000u}) {
            CAPTURE(channels, frames);
            AudioFile file(directory / "wide.wav");
            std::vector<float> block(frames * static_cast<std::size_t>(channels)), all;
            while (const std::size_t read = file.readInterleaved(block))
                all.insert(all.end(), block.begin(),
                           block.begin() +
                               static_cast<std::ptrdiff_t>(read * static_cast<std::size_t>(channels)));
            REQUIRE(all == samples);
        }
    }
    const float nan = std::numeric_limits<float>::quiet_NaN();
    test::writeAudio(directory / "nan.wav", AudioFormat::wavFloat, 32000, 2,
                     std::vector<float>{nan, 0.5f, 0.25f, nan});
    AudioFile file(directory / "nan.wav");
    std::vector<float> block(4);
    REQUIRE(file.readInterleaved(block) == 2);
    REQUIRE(block == std::vector<float>{0.0f, 0.5f, 0.25f, 0.0f});
    REQUIRE(file.nonFiniteSamples() == 2);
}

TEST_CASE("seeking goes on at exactly that frame", "[unit]") {
    const test::TemporaryDirectory directory;
    constexpr std::int64_t length = 150'000; // more than two blocks
    const auto samples = test::noise(static_cast<std::size_t>(length), 9);
    for (const AudioFormat format : {AudioFormat::wavFloat, AudioFormat::flacPcm16}) {
        CAPTURE(static_cast<int>(format));
        test::writeAudio(directory / "long", format, 48000, 1, samples);
        AudioFile file(directory / "long");
        const auto whole = readAll(file);
        REQUIRE(whole.size() == samples.size());
        std::vector<float> block(500);
        for (const std::int64_t frame : {0L, 1L, 149'000L, 70'000L, 65'536L, 149'999L, 3L, 3L, 100'000L}) {
            CAPTURE(frame);
            file.seek(frame);
            const auto count = file.read(block);
            REQUIRE(count == static_cast<std::size_t>(std::min<std::int64_t>(500, length - frame)));
            REQUIRE(worstDifference(std::span(block).first(count),
                                    std::span(whole).subspan(static_cast<std::size_t>(frame), count)) <=
                    1e-6);
        }
        // Mid-block, and on to the end.
        file.seek(-5);
        REQUIRE(readAll(file) == whole);
        for (const std::int64_t frame : {length, length + 1, std::numeric_limits<std::int64_t>::max()}) {
            file.seek(frame);
            REQUIRE(file.read(block) == 0);
        }
        file.seek(length - 10);
        REQUIRE(readAll(file).size() == 10);
    }
}

TEST_CASE("lossy formats can be sought in too", "[unit][no-tsan]") {
    const test::TemporaryDirectory directory;
    // A rising tone: its pitch tells where in the file one is.
    std::vector<float> sweep;
    for (int i = 0; i < 48000 * 6; ++i) {
        const double time = i / 48000.0;
        sweep.push_back(static_cast<float>(0.5 * std::sin(2.0 * 3.14159265 * (500.0 + 300.0 * time) * time)));
    }
    for (const AudioFormat format : {AudioFormat::vorbis, AudioFormat::opus, AudioFormat::mp3}) {
        if (!test::canWrite(format)) {
            test::skip("this libsndfile does not write format " + std::to_string(static_cast<int>(format)));
            continue;
        }
        test::writeAudio(directory / "sweep", format, 48000, 1, sweep);
        AudioFile file(directory / "sweep");
        const auto whole = readAll(file);
        for (const std::int64_t frame : {192'000L, 48'000L, 0L, 240'000L, 100'000L, 100'100L}) {
            CAPTURE(static_cast<int>(format), frame);
            file.seek(frame);
            std::vector<float> block(4800);
            REQUIRE(file.read(block) == block.size());
            double best = 0.0; // within 10 ms of where it should be
            for (std::int64_t first = std::max<std::int64_t>(frame - 480, 0); first <= frame + 480; ++first)
                best = std::max(best, correlation(block, std::span(whole).subspan(
                                                             static_cast<std::size_t>(first), block.size())));
            REQUIRE(best > 0.999);
        }
    }
}

TEST_CASE("a damaged file can be sought in before its damage", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeAudio(directory / "cut.flac", AudioFormat::flacPcm16, 48000, 1,
                     test::noise(48000 * 4, 6, 0.3f));
    test::truncate(directory / "cut.flac", 0.6);
    AudioFile file(directory / "cut.flac");
    std::vector<float> first(1000), block(1000);
    REQUIRE(file.read(first) == 1000);
    REQUIRE_THROWS_AS(readAll(file), Error);
    file.seek(0);
    REQUIRE(file.read(block) == 1000);
    REQUIRE(block == first);
    // Behind the damage there is nothing, or an error that says so.
    try {
        file.seek(48000 * 3);
        const auto count = file.read(block);
        REQUIRE(count == 0);
    } catch (const Error& error) {
        REQUIRE_THAT(error.what(), ContainsSubstring("cut.flac"));
    }
    file.seek(0);
    REQUIRE(file.read(block) == 1000);
    REQUIRE(block == first);
}
