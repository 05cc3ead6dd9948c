#include "Core/Audio/AudioWriter.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/SixteenBit.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <cmath>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <sys/resource.h>

using namespace earshot;
namespace fs = std::filesystem;

namespace {

std::vector<float> readAll(const fs::path& file) {
    audio::AudioFile audio(file);
    REQUIRE(audio.channels() == 1);
    std::vector<float> samples(static_cast<std::size_t>(audio.frames()) + 1);
    samples.resize(audio.read(samples));
    return samples;
}

std::ptrdiff_t entries(const fs::path& folder) {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

} // namespace

TEST_CASE("samples go to 16 bits and back within a step", "[unit]") {
    for (int i = -32768; i <= 32767; ++i) {
        const auto step = static_cast<std::int16_t>(i);
        REQUIRE(audio::toSixteenBit(audio::fromSixteenBit(step)) == step);
    }
    for (const float sample : test::noise(10'000, 1, 1.0f))
        REQUIRE(std::abs(audio::fromSixteenBit(audio::toSixteenBit(sample)) - sample) <= 1.0f / 32768.0f);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    CHECK(audio::toSixteenBit(1.0f) == 32767);
    CHECK(audio::toSixteenBit(1e30f) == 32767);
    CHECK(audio::toSixteenBit(-1e30f) == -32768);
    CHECK(audio::toSixteenBit(infinity) == 0);
    CHECK(audio::toSixteenBit(-infinity) == 0);
    CHECK(audio::toSixteenBit(std::numeric_limits<float>::quiet_NaN()) == 0);
}

TEST_CASE("FLAC holds any samples at any of its rates", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "a.flac";
    for (const int rate : {1000, 1001, 8000, 22050, 32000, 44100, 48000, 65535, 65540, 96000, 192000, 655350})
        for (const std::size_t count : {1u, 4095u, 4096u, 100'000u}) {
            CAPTURE(rate, count);
            const auto samples = test::noise(count, 3, 1.2f);
            audio::writeFlac(file, samples, rate);
            REQUIRE(audio::AudioFile(file).sampleRate() == rate);
            const auto read = readAll(file);
            REQUIRE(read.size() == count);
            for (std::size_t i = 0; i < count; ++i)
                REQUIRE(read[i] == audio::fromSixteenBit(audio::toSixteenBit(samples[i])));
        }
    CHECK(test::readBytes(file).starts_with("fLaC"));
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("what FLAC cannot hold is refused, and the old file stays", "[unit][file-limit]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "a.flac";
    test::writeBytes(file, "old");
    const auto samples = test::noise(1000, 1);
    for (const int rate : {-1, 0, 65537, 655360, 1'000'000})
        CHECK_THROWS_WITH(audio::writeFlac(file, samples, rate),
                          ContainsSubstring("no sample rate of " + std::to_string(rate)));
    CHECK_THROWS_WITH(audio::writeFlac(file, {}, 48000), ContainsSubstring("a.flac: there are no samples"));
    CHECK_THROWS_AS(audio::writeFlac(folder.path() / "nowhere" / "a.flac", samples, 48000), WriteError);

    // A limit to file sizes stands in for the full disk.
    auto* const previous = std::signal(SIGXFSZ, SIG_IGN);
    rlimit usual{};
    getrlimit(RLIMIT_FSIZE, &usual);
    rlimit limit = usual;
    limit.rlim_cur = 1000;
    setrlimit(RLIMIT_FSIZE, &limit);
    std::string message;
    try {
        audio::writeFlac(file, samples, 48000);
    } catch (const WriteError& error) {
        message = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &usual);
    std::signal(SIGXFSZ, previous);
    CHECK_THAT(message, ContainsSubstring("a.flac: cannot be written") && ContainsSubstring("make room"));
    CHECK(test::readBytes(file) == "old");
    CHECK(entries(folder.path()) == 1);
}
