// Containers whose header counts less or more audio than there is, and those that libsndfile does not read.
#include "Core/Audio/AudioFile.h"
#include "Core/Audio/AudioTools.h"
#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Skip.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace earshot;
using audio::AudioFile;
using test::AudioFormat;
using test::messageOf;
using test::readAll;

namespace {

constexpr std::size_t frames = 8000 * 6; // 6 s, of which headers count 3

std::string number(std::uint64_t value, int bytes, bool little = false) {
    std::string text;
    for (int i = 0; i < bytes; ++i, value >>= 8) text.push_back(static_cast<char>(value & 0xff));
    if (!little) std::ranges::reverse(text);
    return text;
}

// 16 bit, big-endian.
std::string bigEndianSamples() {
    std::string bytes;
    for (std::size_t i = 0; i < frames; ++i) bytes += number((i * 37 + 11) & 0xffff, 2);
    return bytes;
}

std::string aiff(std::uint64_t counted, std::uint64_t bytes) {
    const std::string rate("\x40\x0b\xfa\0\0\0\0\0\0\0", 10); // 8000 Hz
    return "FORM" + number(46 + bytes, 4) + "AIFFCOMM" + number(18, 4) + number(1, 2) + number(counted, 4) +
           number(16, 2) + rate + "SSND" + number(bytes + 8, 4) + number(0, 8) + bigEndianSamples();
}

std::string au(std::uint64_t bytes, bool little = false) {
    std::string samples = bigEndianSamples();
    if (little)
        for (std::size_t i = 0; i + 1 < samples.size(); i += 2) std::swap(samples[i], samples[i + 1]);
    std::string text = little ? "dns." : ".snd";
    for (const std::uint64_t field :
         {std::uint64_t{24}, bytes, std::uint64_t{3}, std::uint64_t{8000}, std::uint64_t{1}})
        text += number(field, 4, little);
    return text + samples;
}

std::string caf(std::uint64_t size, const std::string& behind = {}) {
    std::string text = "caff" + number(1, 2) + number(0, 2) + "desc" + number(32, 8);
    text += std::string("\x40\xbf\x40\0\0\0\0\0", 8) + "lpcm"; // 8000 Hz
    for (const std::uint64_t field : {0, 2, 1, 1, 16}) text += number(field, 4);
    return text + "data" + number(size, 8) + number(0, 4) + bigEndianSamples() + behind;
}

struct Page {
    std::size_t at = 0, bytes = 0;
};

std::vector<Page> pagesOf(const std::string& ogg) {
    std::vector<Page> pages;
    for (std::size_t at = 0; at + 27 <= ogg.size();) {
        const std::size_t segments = static_cast<unsigned char>(ogg[at + 26]);
        std::size_t bytes = 27 + segments;
        for (std::size_t i = at + 27; i < std::min(at + 27 + segments, ogg.size()); ++i)
            bytes += static_cast<unsigned char>(ogg[i]);
        pages.push_back({at, bytes});
        at += bytes;
    }
    return pages;
}

// Plainly, bit by bit.
void seal(std::string& ogg, const Page& page) {
    ogg.replace(page.at + 22, 4, 4, '\0');
    std::uint32_t sum = 0;
    for (std::size_t i = page.at; i < page.at + page.bytes; ++i) {
        sum ^= static_cast<std::uint32_t>(static_cast<unsigned char>(ogg[i])) << 24;
        for (int bit = 0; bit < 8; ++bit) sum = (sum << 1) ^ ((sum >> 31) * 0x04c11db7u);
    }
    ogg.replace(page.at + 22, 4, number(sum, 4, true));
}

std::uint64_t positionOf(const std::string& ogg, const Page& page) {
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(ogg[page.at + 6 + i]);
    return value;
}

void setPosition(std::string& ogg, const Page& page, std::uint64_t position) {
    ogg.replace(page.at + 6, 8, number(position, 8, true));
    seal(ogg, page);
}

std::string made(const std::filesystem::path& path, AudioFormat format, int rate = 8000) {
    test::writeAudio(path, format, rate, 1, test::noise(static_cast<std::size_t>(rate) * 6, 3, 0.3f));
    return test::readBytes(path);
}

// The packets of a stream in pages: the first alone, others of at most 1000 bytes each.
std::string oggOf(const std::vector<std::string>& packets) {
    std::string ogg;
    for (std::size_t i = 0; i < packets.size(); ++i) {
        std::string lacing(packets[i].size() / 255, '\xff');
        lacing.push_back(static_cast<char>(packets[i].size() % 255));
        const Page page{ogg.size(), 27 + lacing.size() + packets[i].size()};
        ogg += std::string("OggS\0", 5) +
               static_cast<char>(i == 0                    ? 2
                                 : i + 1 == packets.size() ? 4
                                                           : 0) +
               number(i, 8, true) + number(77, 4, true) + number(i, 4, true) + number(0, 4) +
               static_cast<char>(lacing.size()) + lacing + packets[i];
        seal(ogg, page);
    }
    return ogg;
}

// https://xiph.org/flac/ogg_mapping.html
std::string oggFlac(const std::string& flac) {
    constexpr std::size_t header = 4 + 4 + 34, part = 1000;
    std::vector<std::string> packets = {std::string("\x7f"
                                                    "FLAC\1\0\0\1",
                                                    9) +
                                        flac.substr(0, header)};
    for (std::size_t at = header; at < flac.size(); at += part) packets.push_back(flac.substr(at, part));
    return oggOf(packets);
}

std::string counting(const std::string& flac, std::uint64_t samples) {
    std::string text = flac;
    text.replace(22, 4, number(samples, 4)); // less than 2^32
    return text;
}

std::vector<float> samplesOf(const std::filesystem::path& path, const std::string& bytes) {
    test::writeBytes(path, bytes);
    AudioFile file(path);
    return readAll(file);
}

std::string remarkOn(const std::filesystem::path& path, const std::string& bytes) {
    test::writeBytes(path, bytes);
    AudioFile file(path);
    readAll(file);
    return file.oddLength().value_or("");
}

const std::string goesOn = "its header counts 3.00 s, but the audio goes on to 6.00 s; all of it was read";

} // namespace

TEST_CASE("AIFF, AU and CAF whose header counts less audio than there is are read to their end", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "short";
    const std::vector<float> expected = samplesOf(path, aiff(frames, frames * 2));
    REQUIRE(expected.size() == frames);
    for (const std::string& bytes :
         {aiff(frames / 2, frames), au(frames), au(frames, true), caf(frames + 4)}) {
        CAPTURE(bytes.substr(0, 4));
        CHECK(samplesOf(path, bytes) == expected);
        CHECK(remarkOn(path, bytes) == goesOn);
        AudioFile file(path);
        CHECK(file.frames() == frames);
        file.seek(frames - 1000);
        CHECK(readAll(file).size() == 1000);
    }
    // Nothing is odd where the header is right, or says that it does not know.
    for (const std::string& bytes :
         {aiff(frames / 2, frames * 2), au(frames * 2), au(0), au(0xffffffff), au(0, true),
          caf(frames * 2 + 4), caf(~std::uint64_t{0}), caf(0), caf(4), caf(~std::uint64_t{0} - 98)}) {
        CAPTURE(bytes.substr(0, 4), bytes.size());
        CHECK(samplesOf(path, bytes) == expected);
        CHECK(remarkOn(path, bytes).empty());
    }
    CHECK_THAT(remarkOn(path, caf(frames * 4 + 4)),
               ContainsSubstring("ends at 6.00 s of the 12.00 s in its header"));
    CHECK_THAT(remarkOn(path, au(frames * 4)),
               ContainsSubstring("ends at 6.00 s of the 12.00 s in its header"));
}

TEST_CASE("chunks behind the audio of AIFF and CAF are no part of it", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "chunks";
    const std::string noise(50'000, 'x');
    for (const std::string& bytes :
         {aiff(frames, frames * 2) + "JUNK" + number(50'000, 4) + noise,
          caf(frames * 2 + 4, "uuid" + number(50'000, 8) + noise),
          au(frames * 2) + std::string(200'000, '\0'),
          aiff(frames, frames * 2) + std::string("ID3\3\0\0\0\3\6\x50", 10) + noise}) {
        CHECK(samplesOf(path, bytes).size() == frames);
        CHECK(remarkOn(path, bytes).empty());
    }
}

TEST_CASE("a FLAC file is read to its end, whatever its header counts", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "counted.flac";
    const std::string flac = made(path, AudioFormat::flacPcm16);
    const std::vector<float> expected = samplesOf(path, flac);
    REQUIRE(expected.size() == frames);
    const std::string tag = "TAGDawn chorus" + std::string(114, '\0');
    for (const std::string& behind : {std::string(), std::string(200'000, '\0'), tag})
        for (const std::uint64_t counted : {frames, frames / 2, frames - 1, std::size_t{0}, frames * 2}) {
            CAPTURE(counted, behind.size());
            const std::string bytes = counting(flac, counted) + behind;
            CHECK(samplesOf(path, bytes) == expected);
            CHECK(messageOf(path).empty());
            const std::string remark = remarkOn(path, bytes);
            if (counted == frames / 2)
                CHECK(remark == goesOn);
            else if (counted == frames * 2)
                CHECK_THAT(remark, ContainsSubstring("ends at 6.00 s of the 12.00 s in its header"));
            else
                CHECK(remark.empty());
            if (counted <= frames) CHECK(AudioFile(path).frames() == frames);
        }
    for (const std::uint64_t counted : {frames, std::size_t{0}}) { // within a frame
        test::writeBytes(path, counting(flac, counted).substr(0, flac.size() / 2));
        CHECK_FALSE(messageOf(path).empty());
    }
    test::writeBytes(path, flac + flac);
    CHECK_THAT(messageOf(path), ContainsSubstring("only its first 6.00 s were read, but more audio follows"));
}

TEST_CASE("a FLAC file whose last checksum ends in zero is whole", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "noise.flac";
    int zeros = 0;
    for (std::size_t length = 200; length < 2200; ++length) {
        test::writeAudio(file, AudioFormat::flacPcm16, 8000, 1, test::noise(length, 1));
        if (test::readBytes(file).back() != '\0') continue;
        ++zeros;
        AudioFile audio(file);
        CHECK(audio.frames() == static_cast<std::int64_t>(length));
        CHECK(readAll(audio).size() == length);
    }
    CHECK(zeros > 0);
}

TEST_CASE("a FLAC header with zeros behind holds no audio", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "reserved.flac";
    std::string bytes = made(file, AudioFormat::flacPcm16).substr(0, 26); // to the MD5, which may be 0
    bytes[4] = static_cast<char>(0x80);                                   // the last block before the audio
    test::writeBytes(file, bytes + std::string(100'000, '\0'));
    CHECK_THROWS_AS(AudioFile(file), earshot::Error);
}

TEST_CASE("FLAC in Ogg is read as FLAC", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "sound.oga";
    const std::string flac = made(path, AudioFormat::flacPcm16);
    const std::vector<float> expected = samplesOf(path, flac);
    for (const std::string& native : {flac, counting(flac, 0), counting(flac, frames / 2)}) {
        const std::string ogg = oggFlac(native);
        CHECK(samplesOf(path, ogg) == expected);
        CHECK(messageOf(path).empty());
        AudioFile file(path);
        CHECK(file.frames() == frames);
        file.seek(frames / 2);
        std::vector<float> block(1000);
        REQUIRE(file.read(block) == block.size());
        CHECK(std::equal(block.begin(), block.end(), expected.begin() + frames / 2));
        test::writeBytes(path, ogg.substr(0, ogg.size() / 2));
        CHECK_FALSE(messageOf(path).empty());
        test::writeBytes(path, ogg + ogg);
        CHECK_THAT(messageOf(path), ContainsSubstring("more audio follows"));
    }
    std::string wide = flac; // the number of bits less one: 5 bits across two bytes
    wide[20] = static_cast<char>(static_cast<unsigned char>(wide[20]) | 1u);
    wide[21] = static_cast<char>(static_cast<unsigned char>(wide[21]) | 0xf0u);
    for (const std::string& bytes : {wide, oggFlac(wide)}) {
        test::writeBytes(path, bytes);
        CHECK_THAT(messageOf(path),
                   ContainsSubstring("its samples have 32 bits, which libsndfile does not read; "
                                     "convert it (flac -d -o out.wav FILE)"));
    }
}

TEST_CASE("an Ogg file needs no mark at its end", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "sound";
    for (const AudioFormat format : {AudioFormat::vorbis, AudioFormat::opus}) {
        if (!test::canWrite(format)) {
            test::skip("this libsndfile does not write format " + std::to_string(static_cast<int>(format)));
            continue;
        }
        CAPTURE(static_cast<int>(format));
        std::string ogg = made(path, format, 48000);
        const std::vector<float> expected = samplesOf(path, ogg);
        const auto pages = pagesOf(ogg);
        const Page last = pages.back();
        ogg[last.at + 5] = static_cast<char>(static_cast<unsigned char>(ogg[last.at + 5]) & ~4u);
        seal(ogg, last);
        CHECK(samplesOf(path, ogg) == expected);
        CHECK(messageOf(path).empty());
        CHECK(samplesOf(path, ogg + std::string(300'000, '\0')) == expected); // reserved space
        // Cut between pages there is no way to tell; within one there is.
        test::writeBytes(path, ogg.substr(0, last.at));
        CHECK(messageOf(path).empty());
        for (const std::size_t rest : {std::size_t{10}, std::size_t{30}, last.bytes / 2, last.bytes - 1}) {
            test::writeBytes(path, ogg.substr(0, last.at + rest));
            CHECK_FALSE(messageOf(path).empty());
        }
    }
}

TEST_CASE("an Ogg file is read to its end, whatever the times in its pages", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "sound";
    for (const AudioFormat format : {AudioFormat::vorbis, AudioFormat::opus}) {
        if (!test::canWrite(format)) {
            test::skip("this libsndfile does not write format " + std::to_string(static_cast<int>(format)));
            continue;
        }
        CAPTURE(static_cast<int>(format));
        const std::string ogg = made(path, format, 48000);
        const std::vector<float> expected = samplesOf(path, ogg);
        CHECK(remarkOn(path, ogg).empty());
        const auto pages = pagesOf(ogg);
        REQUIRE(pages.size() > 4);
        std::vector<std::string> lying;
        for (const std::uint64_t position :
             {std::uint64_t{40'000}, std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 62}) {
            lying.push_back(ogg);
            setPosition(lying.back(), pages.back(), position);
        }
        for (const std::uint64_t part : {4, 2, 1000}) {
            lying.push_back(ogg);
            for (std::size_t i = 2; i < pages.size(); ++i)
                if (const auto position = positionOf(ogg, pages[i]); position != ~std::uint64_t{0})
                    setPosition(lying.back(), pages[i], position / part);
        }
        for (const std::string& bytes : lying) {
            const std::vector<float> samples = samplesOf(path, bytes);
            CHECK(samples.size() >= expected.size());
            CHECK(samples.size() < expected.size() + 48'000 / 5); // what the last page held too much
            CHECK(std::equal(expected.begin(), expected.end() - 4800, samples.begin()));
            CHECK(messageOf(path).empty());
            CHECK_THAT(remarkOn(path, bytes), ContainsSubstring("do not fit the audio that they hold"));
        }
    }
}

TEST_CASE("all blocks of a VOC file are read, and nothing between them", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "sound.voc";
    const std::string head =
        "Creative Voice File\x1a" + number(26, 2, true) + number(0x0114, 2, true) + number(0x111f, 2, true);
    const auto block = [](int kind, const std::string& body) {
        return static_cast<char>(kind) + number(body.size(), 3, true) + body;
    };
    std::string wide, narrow;
    for (std::size_t i = 0; i < frames; ++i) {
        wide += number((i * 37 + 11) & 0xffff, 2, true);
        narrow.push_back(static_cast<char>(i * 7 & 0xff));
    }
    const std::string format = number(8000, 4, true) + '\x10' + '\1' + number(4, 2, true) + number(0, 4);
    const std::vector<float> expected = samplesOf(path, aiff(frames, frames * 2));
    // Version 1.20: one block, then several with texts, marks and silence between them.
    CHECK(samplesOf(path, head + block(9, format + wide) + '\0') == expected);
    std::string several = head + block(5, std::string("text\0", 5));
    for (std::size_t at = 0; at < wide.size(); at += 12'000)
        several += block(9, format + wide.substr(at, 12'000)) + block(4, number(7, 2));
    CHECK(samplesOf(path, several + '\0') == expected);
    CHECK(samplesOf(path, several) == expected);
    std::string continued =
        head + block(9, format + wide.substr(0, 4000)) + block(2, wide.substr(4000)) + '\0';
    CHECK(samplesOf(path, continued) == expected);
    // Version 1.10, of 8 bits: 1000000 / (256 - 131) is 8000 Hz.
    const std::string rate = "\x83" + std::string(1, '\0');
    const std::string quiet = block(3, number(799, 2, true) + "\x83");
    const auto samples = samplesOf(path, head + block(1, rate + narrow.substr(0, 1000)) + quiet +
                                             block(1, rate + narrow.substr(1000)) + '\0');
    REQUIRE(samples.size() == frames + 800);
    CHECK(AudioFile(path).sampleRate() == 8000);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const std::size_t from = i < 1000 ? i : i - 800;
        const float right =
            i >= 1000 && i < 1800
                ? 0.0f
                : (static_cast<float>(static_cast<unsigned char>(narrow[from])) - 128.0f) / 128.0f;
        REQUIRE(samples[i] == right);
    }
    // In stereo: 128000000 / (65536 - 57536) is 16000 Hz.
    const std::string stereo = number(57536, 2, true) + std::string(1, '\0') + '\1';
    test::writeBytes(path, head + block(8, stereo) + block(1, rate + narrow) + '\0');
    CHECK(AudioFile(path).channels() == 2);
    CHECK(AudioFile(path).sampleRate() == 16000);
    const std::string faster = number(16000, 4, true) + format.substr(4);
    test::writeBytes(path, head + block(9, format + wide) + block(9, faster + wide));
    CHECK_THAT(messageOf(path), ContainsSubstring("its blocks differ in sample rate"));
}

TEST_CASE("damaged lengths end in audio or a message, in bounded time", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "mutated";
    const std::string flac = made(path, AudioFormat::flacPcm16);
    std::vector<std::string> files = {flac, oggFlac(flac), aiff(frames, frames * 2), au(frames * 2),
                                      caf(frames * 2 + 4)};
    for (const AudioFormat format : {AudioFormat::vorbis, AudioFormat::opus})
        if (test::canWrite(format)) files.push_back(made(path, format, 48000).substr(0, 20'000));
    files.push_back("Creative Voice File\x1a" + number(26, 2, true) + number(0x0114, 2, true) +
                    number(0x111f, 2, true) + '\1' + number(5002, 3, true) + "\x83" + std::string(1, '\0') +
                    std::string(5000, 'x') + '\3' + number(3, 3, true) + "\xff\xff\x83" + '\1' +
                    number(102, 3, true) + "\x83" + std::string(101, '\0'));
    std::mt19937 random(5);
    int read = 0, refused = 0;
    for (const std::string& file : files)
        for (int round = 0; round < 150; ++round) {
            std::string bytes = file;
            for (auto changes = 1 + random() % 6; changes > 0; --changes) {
                const std::size_t area =
                    random() % 2 == 0 ? std::min<std::size_t>(bytes.size(), 200) : bytes.size();
                bytes[random() % area] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
            }
            if (random() % 4 == 0) bytes.resize(random() % bytes.size() + 1);
            // Some pages stay valid, so that what is behind the checksums is reached.
            if (random() % 2 == 0)
                for (const Page& page : pagesOf(bytes))
                    if (page.at + page.bytes <= bytes.size()) seal(bytes, page);
            test::writeBytes(path, bytes);
            try {
                AudioFile sound(path);
                std::vector<float> block(static_cast<std::size_t>(sound.channels()) * 4096);
                std::size_t count = 0;
                while (const std::size_t more = sound.readInterleaved(block)) {
                    count += more;
                    REQUIRE(count < 100'000'000);
                }
                ++read;
            } catch (const Error&) {
                ++refused;
            }
        }
    CHECK(read > 100);
    CHECK(refused > 100);
}
