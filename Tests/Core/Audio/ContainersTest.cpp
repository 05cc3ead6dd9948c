// What the containers of audio say of their own length, as AudioFile takes it.
#include "Core/Audio/AudioFile.h"
#include "Core/Audio/AudioTools.h"
#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Skip.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

using namespace earshot;
using audio::AudioFile;
using test::AudioFormat;
using test::messageOf;
using test::readAll;

TEST_CASE("a file that goes on after its first recording says how much was heard", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "joined";
    for (const AudioFormat format : {AudioFormat::vorbis, AudioFormat::opus, AudioFormat::mp3}) {
        if (!test::canWrite(format)) {
            test::skip("this libsndfile does not write format " + std::to_string(static_cast<int>(format)));
            continue;
        }
        const auto bytesOf = [&](std::size_t frames) {
            test::writeAudio(path, format, 48000, 1, test::noise(frames, 6, 0.3f));
            return test::readBytes(path);
        };
        const std::string one = bytesOf(48000 * 4), two = bytesOf(48000);
        std::vector<std::string> joined = {one + two, two + one, one + one};
        if (format == AudioFormat::mp3) {
            joined.push_back(one + "TAG" + std::string(125, ' ') + two);
            std::string fewer = one; // the count of frames in its header
            const auto at = std::max(fewer.find("Xing") + 1, fewer.find("Info") + 1) - 1;
            REQUIRE(at < fewer.size());
            fewer.replace(at + 8, 4, std::string("\0\0\0\x40", 4));
            joined.push_back(fewer);
        }
        for (const std::string& bytes : joined) {
            CAPTURE(static_cast<int>(format), bytes.size());
            test::writeBytes(path, bytes);
            AudioFile file(path);
            std::vector<float> block(1000);
            std::size_t count = 0;
            std::string message;
            try {
                while (const std::size_t read = file.read(block)) count += read;
            } catch (const Error& error) {
                message = error.what();
            }
            CHECK(count >= 48000);
            char time[32];
            std::snprintf(time, sizeof(time), "%.2f s", static_cast<double>(count) / 48000);
            CHECK_THAT(message, ContainsSubstring("only its first " + std::string(time) + " were read"));
            file.seek(0);
            CHECK(file.read(block) == block.size());
        }
    }
}

TEST_CASE("what follows an MP3 that is not audio is no part of it", "[unit]") {
    if (!test::canWrite(AudioFormat::mp3)) return test::skip("this libsndfile writes no MP3");
    const test::TemporaryDirectory directory;
    const auto path = directory / "tagged.mp3";
    test::writeAudio(path, AudioFormat::mp3, 48000, 1, test::noise(48000, 6, 0.3f));
    const std::string audio = test::readBytes(path);
    const std::string picture(0x8000, '\xff'); // 32 KiB
    const std::string ape = "APETAGEX" + std::string("\xd0\x07\0\0\0\x80\0\0\1\0\0\0\0\0\0\xa0", 16) +
                            std::string(8, '\0') + picture;
    const std::string id3 = std::string("ID3\4\0\0\0\2\0\0", 10) + picture;
    for (const std::string& tail : {std::string(1, '\0'), std::string(0x8000, '\0'), ape, id3, id3 + ape,
                                    "TAG" + std::string(125, ' '), ape + "TAG" + std::string(125, ' ')}) {
        CAPTURE(tail.size());
        test::writeBytes(path, audio + tail);
        CHECK(messageOf(path).empty());
    }
}

TEST_CASE("a file that ends before its header does says so, after what is there", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "cut";
    const auto samples = test::noise(32000 * 4, 7);
    for (const AudioFormat format : {AudioFormat::wavPcm16, AudioFormat::wavFloat, AudioFormat::rf64Float,
                                     AudioFormat::w64Float, AudioFormat::aiffPcm16}) {
        CAPTURE(static_cast<int>(format));
        test::writeAudio(path, format, 32000, 1, samples);
        AudioFile whole(path);
        CHECK(readAll(whole).size() == samples.size());
        CHECK_FALSE(whole.oddLength());
        std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
        AudioFile file(path);
        const std::size_t count = readAll(file).size();
        CHECK(count > 63'000);
        CHECK(count < 65'000);
        char text[64];
        std::snprintf(text, sizeof(text), "ends at %.2f s of the 4.00 s in its header",
                      static_cast<double>(count) / 32000);
        REQUIRE(file.oddLength());
        CHECK_THAT(*file.oddLength(), ContainsSubstring(text));
    }
    const auto sun = [](const std::string& size) { // 16 bit at 16 kHz, big-endian
        return ".snd" + std::string("\0\0\0\x18", 4) + size +
               std::string("\0\0\0\3\0\0\x3e\x80\0\0\0\1", 12) + std::string(32000, 'x');
    };
    test::writeBytes(path, sun(std::string("\0\0\xfa\0", 4))); // 2 s
    AudioFile file(path);
    CHECK(readAll(file).size() == 16000);
    REQUIRE(file.oddLength());
    CHECK_THAT(*file.oddLength(), ContainsSubstring("ends at 1.00 s of the 2.00 s in its header"));
    test::writeBytes(path, sun(std::string(4, '\xff'))); // not known, says the format
    AudioFile unknown(path);
    CHECK(readAll(unknown).size() == 16000);
    CHECK_FALSE(unknown.oddLength());
}

TEST_CASE("a WAV that was written into a pipe has no length, and nothing is missing", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "piped.wav";
    test::writeRawWav(path, {}, std::vector<std::int16_t>(32000, 77));
    const std::string whole = test::readBytes(path);
    // As ffmpeg, SoX and arecord leave it.
    for (const std::string& size : {std::string(4, '\xff'), std::string("\0\xf0\xff\x7f", 4),
                                    std::string("\0\0\0\x80", 4), std::string("\xdb\xff\xff\xff", 4)}) {
        test::writeBytes(path, whole.substr(0, 40) + size + whole.substr(44));
        AudioFile file(path);
        CHECK(readAll(file).size() == 32000);
        CHECK_FALSE(file.oddLength());
    }
}

TEST_CASE("a WAV whose header was never completed is heard to its end", "[unit]") {
    // As recorders leave it that lost power.
    const test::TemporaryDirectory directory;
    const auto path = directory / "unfinished.wav";
    std::vector<std::int16_t> samples(5000);
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::int16_t>(i * 7 - 300);
    samples.insert(samples.begin(), 100'000, 0); // silence at the beginning
    test::writeRawWav(path, {}, samples);
    const std::string whole = test::readBytes(path);
    AudioFile reference(path);
    const std::vector<float> expected = readAll(reference);
    const std::string zero(4, '\0');
    const std::string list = "LIST" + std::string("\4\0\0\0", 4) + "INFO";
    for (const std::string& riff : {whole.substr(4, 4), zero, std::string("\x24\0\0\0", 4)}) {
        for (const std::string& before : {std::string(), list}) {
            test::writeBytes(path,
                             "RIFF" + riff + whole.substr(8, 28) + before + "data" + zero + whole.substr(44));
            AudioFile file(path);
            CHECK(file.frames() == 105'000);
            CHECK(readAll(file) == expected);
            file.seek(104'000);
            CHECK(readAll(file).size() == 1000);
        }
    }
    // Without audio it stays empty, whatever chunks follow.
    for (const std::string& after :
         {std::string(), std::string(3000, '\0'), list, std::string(1, '\0') + list}) {
        test::writeBytes(path, whole.substr(0, 40) + zero + after);
        CHECK_THAT(messageOf(path), ContainsSubstring("holds no audio"));
    }
}

TEST_CASE("an RF64 or BW64 file is heard to its end, whether or not its length was written", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "wide.wav";
    std::vector<std::int16_t> samples(5000);
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::int16_t>(i * 7 - 300);
    test::writeRawWav(path, {}, samples);
    const std::string whole = test::readBytes(path);
    AudioFile reference(path);
    const std::vector<float> expected = readAll(reference);
    const auto wide = [&](const std::string& name, const std::string& size) {
        const std::string unset(4, '\xff');
        test::writeBytes(path, name + unset + "WAVEds64" + std::string("\x1c\0\0\0", 4) +
                                   std::string(8, '\0') + size + std::string(12, '\0') +
                                   whole.substr(12, 24) + "data" + unset + whole.substr(44));
    };
    for (const std::string name : {"RF64", "BW64"}) {
        for (const std::string& size :
             {std::string("\x10\x27\0\0\0\0\0\0", 8), std::string(8, '\0'), std::string(8, '\xff')}) {
            CAPTURE(name, static_cast<int>(size.front()));
            wide(name, size);
            AudioFile file(path);
            CHECK(file.frames() == 5000);
            CHECK(readAll(file) == expected);
            CHECK_FALSE(file.oddLength());
            file.seek(4000);
            CHECK(readAll(file).size() == 1000);
        }
        wide(name, std::string("\x20\x4e\0\0\0\0\0\0", 8)); // as a copy that was cut
        AudioFile file(path);
        CHECK(readAll(file) == expected);
    }
}

TEST_CASE("a WAV whose header counts less audio than there is is read to its end", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "long.wav";
    std::vector<std::int16_t> samples(32000 * 5);
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::int16_t>(i * 7 - 300);
    test::writeRawWav(path, {}, samples);
    const std::string whole = test::readBytes(path);
    AudioFile reference(path);
    const std::vector<float> expected = readAll(reference);
    const std::string twoSeconds("\0\xf4\1\0", 4);
    test::writeBytes(path, whole.substr(0, 40) + twoSeconds + whole.substr(44));
    {
        AudioFile file(path);
        CHECK(file.frames() == 160'000);
        CHECK(readAll(file) == expected);
        REQUIRE(file.oddLength());
        CHECK_THAT(*file.oddLength(),
                   ContainsSubstring("its header counts 2.00 s, but the audio goes on to 5.00 s"));
    }
    // As programs without RF64 write more than 4 GiB.
    std::filesystem::resize_file(path, 44 + (std::uintmax_t{1} << 32) + 320'000);
    AudioFile file(path);
    CHECK(file.frames() == (std::int64_t{1} << 31) + 160'000);
    std::vector<float> block(1000);
    REQUIRE(file.read(block) == block.size());
    CHECK(std::ranges::equal(block, std::span(expected).first(1000)));
    file.seek((std::int64_t{1} << 31) + 159'000);
    CHECK(file.read(block) == 1000);
    CHECK(file.read(block) == 0);
}

TEST_CASE("what follows the audio of a WAV is no part of it", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "tagged.wav";
    test::writeRawWav(path, {}, std::vector<std::int16_t>(32000, 77));
    const std::string audio = test::readBytes(path);
    const auto chunk = [](const std::string& name, std::uint32_t bytes) {
        std::string text = name;
        for (int shift = 0; shift < 32; shift += 8) text.push_back(static_cast<char>(bytes >> shift));
        return text + std::string(bytes, '\xff');
    };
    const std::string zeros(200'000, '\0'), ones(200'000, '\xff');
    const std::string id3 = std::string("ID3\3\0\0\0\6\x0d\x20", 10) + std::string(100'000, 'x');
    const std::string id3v1 = "TAGDawn chorus" + std::string(114, '\0');
    const std::string ape =
        "APETAGEX" + std::string("\xd0\7\0\0\0\0\2\0", 8) + std::string(16, '\0') + std::string(1 << 17, 'x');
    for (const std::string& tail :
         {chunk("LIST", 200'000), chunk("id3 ", 200'001) + std::string(1, '\0') + chunk("bext", 602),
          chunk("id3 ", 200'001) + chunk("cue ", 28), zeros, std::string(1, '\0') + chunk("LIST", 200'000),
          zeros + chunk("iXML", 200'000), chunk("LIST", 200'000) + zeros, ones,
          zeros + ones + chunk("LIST", 4), id3, id3v1, ape, chunk("LIST", 100'000) + id3 + ape + id3v1,
          std::string(20'000, 'x')}) {
        CAPTURE(tail.size());
        test::writeBytes(path, audio + tail);
        AudioFile file(path);
        CHECK(readAll(file).size() == 32000);
        CHECK_FALSE(file.oddLength());
    }
}
