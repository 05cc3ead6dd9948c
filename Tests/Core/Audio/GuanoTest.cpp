#include "Core/Audio/Guano.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/AudioTools.h"
#include "Core/Audio/WavBytes.h"
#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <random>
#include <string>
#include <vector>

using namespace earshot;
using audio::AudioFile;
using audio::ReadOptions;

namespace {

// Noise at 8 kHz with GUANO behind it, or before it.
std::string batWav(const std::string& guano, bool before = false, unsigned rate = 8000) {
    const std::string metadata = test::wavChunk("guan", guano);
    return test::wavFile(test::wavChunk("fmt ", test::wavFormat(1, 1, rate, 16)) + (before ? metadata : "") +
                         test::wavChunk("data", test::pcm16(test::noise(8000, 1))) +
                         (before ? "" : metadata));
}

struct Opened {
    int rate = 0; // Hz
    std::vector<std::string> remarks;
};

Opened opened(const std::string& bytes, const ReadOptions& options = {}) {
    const test::TemporaryDirectory directory;
    test::writeBytes(directory / "bat.wav", bytes);
    const AudioFile file(directory / "bat.wav", Pipes::refused, options);
    return {file.sampleRate(), file.remarks()};
}

} // namespace

TEST_CASE("GUANO is read line by line", "[unit][guano]") {
    const auto fields = audio::parseGuano("GUANO|Version: 1.0\r\nTimestamp:2026-05-15T03:30:00+02:00\nTE:10\n"
                                          "WA|Song Meter|Prefix:  S4U \nno colon\nTE:20\nNote:\n");
    CHECK(fields.at("GUANO|Version") == "1.0");
    CHECK(fields.at("Timestamp") == "2026-05-15T03:30:00+02:00");
    CHECK(fields.at("TE") == "10");
    CHECK(fields.at("WA|Song Meter|Prefix") == "S4U");
    CHECK(fields.at("Note").empty());
    CHECK(fields.size() == 5);
    CHECK(audio::parseGuano("TE:10\n").empty());
    CHECK(audio::parseGuano("").empty());
    CHECK(audio::parseGuano("\xef\xbb\xbfGUANO|Version:1.0\nTE:8").at("TE") == "8");
}

TEST_CASE("A time-expanded recording has the rate that its sound had", "[unit][guano]") {
    for (const bool before : {false, true}) {
        const auto expanded = opened(batWav("GUANO|Version:1.0\nTE:10\nSamplerate:80000\n", before));
        CHECK(expanded.rate == 80000);
        CHECK(expanded.remarks.empty());
    }
    CHECK(opened(batWav("GUANO|Version:1.0\nTE: 10.0 \n")).rate == 80000);
    CHECK(opened(batWav("GUANO|Version:1.0\nTE:1\n")).rate == 8000);
    for (const char* const nonsense : {"0", "-10", "ten", "", "1e99", "nan", "100000"})
        CHECK(opened(batWav(std::string("GUANO|Version:1.0\nTE:") + nonsense + "\n")).rate == 8000);
}

TEST_CASE("A time expansion that the metadata contradict is said, and not followed", "[unit][guano]") {
    const auto direct = opened(batWav("GUANO|Version:1.0\nTE:10\nSamplerate:8000\n"));
    CHECK(direct.rate == 8000);
    REQUIRE(direct.remarks.size() == 1);
    CHECK_THAT(direct.remarks.front(), ContainsSubstring("TE is 10") && ContainsSubstring("8000 Hz") &&
                                           ContainsSubstring("--speed 10"));
}

TEST_CASE("A speed that is named counts, whatever the metadata say", "[unit][guano]") {
    const std::string guano = "GUANO|Version:1.0\nTE:10\n";
    ReadOptions options;
    options.speed = 1.0;
    CHECK(opened(batWav(guano), options).rate == 8000);
    options.speed = 2.5;
    CHECK(opened(batWav(guano), options).rate == 20000);
    options.speed = 1000.0;
    CHECK_THROWS_WITH(opened(batWav(guano), options),
                      ContainsSubstring("8000000 Hz") || ContainsSubstring("--speed"));
    options.speed = 0.1;
    CHECK_THROWS_WITH(opened(batWav(guano), options), ContainsSubstring("choose another --speed"));
}

TEST_CASE("GUANO of any bytes does no harm", "[unit][guano]") {
    const test::TemporaryDirectory directory;
    const std::string whole = batWav("GUANO|Version:1.0\nTE:10\nSamplerate:80000\n", true);
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
        std::string bytes = whole;
        for (auto change = 1 + random() % 8; change > 0; --change)
            bytes[random() % 120] = static_cast<char>(random());
        test::writeBytes(directory / "bat.wav", bytes);
        try {
            AudioFile file(directory / "bat.wav");
            test::readAll(file);
            CHECK(file.sampleRate() >= 1000);
        } catch (const Error&) {
        }
    }
    // As much as a chunk can hold: only a part of it is read.
    std::string lines = "GUANO|Version:1.0\n";
    for (int i = 0; i < 300000; ++i) lines += "k" + std::to_string(i) + ":v\n";
    CHECK(audio::parseGuano(lines).size() <= 1000);
}
