// Which channels make the mix, and what is said of those that cancel each other out.
#include "Core/Audio/AudioFile.h"
#include "Core/Audio/AudioTools.h"
#include "Core/Audio/ChannelMix.h"
#include "Core/Audio/WavBytes.h"
#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace earshot;
using audio::AudioFile;
using audio::ReadOptions;

namespace {

constexpr unsigned rate = 8000;

const std::string pcmGuid("\x01\x00\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71", 16);
const std::string bFormatPcm("\x01\x00\x00\x00\x21\x07\xd3\x11\x86\x44\xc8\xc1\xca\x00\x00\x00", 16);
const std::string bFormatFloat("\x03\x00\x00\x00\x21\x07\xd3\x11\x86\x44\xc8\xc1\xca\x00\x00\x00", 16);

// Frames in which channel c has the value (c + 1) / 64.
std::vector<float> steps(int channels, int frames = 100) {
    std::vector<float> samples;
    for (int i = 0; i < frames * channels; ++i)
        samples.push_back(static_cast<float>(i % channels + 1) / 64.0f);
    return samples;
}

std::string floatBytes(const std::vector<float>& samples) {
    std::string bytes(samples.size() * sizeof(float), '\0');
    std::copy_n(reinterpret_cast<const char*>(samples.data()), bytes.size(), bytes.begin());
    return bytes;
}

std::vector<std::size_t> mixed(const std::filesystem::path& path, int channel = ReadOptions::mix) {
    ReadOptions options;
    options.channel = channel;
    const AudioFile file(path, Pipes::refused, options);
    const auto channels = file.mixedChannels();
    return {channels.begin(), channels.end()};
}

using Channels = std::vector<std::size_t>;

std::string bigEndian(std::uint64_t value, int bytes) {
    std::string text = test::littleEndian(value, bytes);
    std::ranges::reverse(text);
    return text;
}

// 16-bit CAF with that layout.
std::string caf(int channels, const std::string& layout) {
    const auto chunk = [](const std::string& name, const std::string& body) {
        return name + bigEndian(body.size(), 8) + body;
    };
    std::string rateBytes("\x40\xbf\x40\x00\x00\x00\x00\x00", 8); // 8000.0
    std::string description = rateBytes + "lpcm" + bigEndian(0, 4) +
                              bigEndian(static_cast<unsigned>(channels) * 2, 4) + bigEndian(1, 4) +
                              bigEndian(static_cast<unsigned>(channels), 4) + bigEndian(16, 4);
    const auto frames = std::string(static_cast<std::size_t>(channels) * 200, '\x01');
    return "caff" + bigEndian(0x10000, 4) + chunk("desc", description) + chunk("chan", layout) +
           chunk("data", bigEndian(0, 4) + frames);
}

std::string taggedLayout(unsigned tag, unsigned mask = 0) {
    return bigEndian(tag, 4) + bigEndian(mask, 4) + bigEndian(0, 4);
}

std::string labelledLayout(const std::vector<unsigned>& labels) {
    std::string layout = bigEndian(0, 4) + bigEndian(0, 4) + bigEndian(labels.size(), 4);
    for (const unsigned label : labels) layout += bigEndian(label, 4) + std::string(16, '\0');
    return layout;
}

} // namespace

TEST_CASE("Of ambisonics W alone is analysed", "[unit][channels]") {
    const test::TemporaryDirectory directory;
    for (const unsigned channels : {4u, 9u, 16u}) {
        const auto path = directory / "field.wav";
        const auto samples = steps(static_cast<int>(channels));
        test::writeBytes(path, test::wavFile(test::wavChunk("fmt ", test::extensibleFormat(channels, rate, 16,
                                                                                           0, bFormatPcm)) +
                                             test::wavChunk("data", test::pcm16(samples))));
        CHECK(mixed(path) == Channels{0});
        test::writeBytes(path, test::wavFile(test::wavChunk("fmt ", test::extensibleFormat(channels, rate, 32,
                                                                                           0, bFormatFloat)) +
                                             test::wavChunk("data", floatBytes(samples))));
        AudioFile file(path);
        CHECK(static_cast<unsigned>(file.channels()) == channels);
        CHECK(test::readAll(file) == std::vector<float>(100, 1.0f / 64.0f));
        CHECK(file.remarks().empty());
    }
    const auto named = [&](const std::string& name, int channels) {
        const auto path = directory / name;
        test::writeAudio(path, test::AudioFormat::wavPcm16, rate, channels, steps(channels));
        return path;
    };
    CHECK(mixed(named("field.amb", 4)) == Channels{0});
    CHECK(mixed(named("field.AMB", 3)) == Channels{0});
    // A name is a hint, which is said.
    const auto ambix = named("Walk_AmbiX.wav", 9);
    CHECK(mixed(ambix) == Channels{0});
    CHECK_THAT(AudioFile(ambix).remarks().at(0),
               ContainsSubstring("AmbiX") && ContainsSubstring("--channel"));
    CHECK(mixed(named("ambix.flac", 4)) == Channels{0});
    CHECK(mixed(named("ambix-stereo.wav", 2)) == Channels{0, 1});
    CHECK(mixed(named("quad.wav", 4)) == Channels{0, 1, 2, 3});
}

TEST_CASE("Ambisonics in CAF are known by their layout", "[unit][channels]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "field.caf";
    const auto mixOf = [&](int channels, const std::string& layout) {
        test::writeBytes(path, caf(channels, layout));
        return mixed(path);
    };
    CHECK(mixOf(4, taggedLayout(107u << 16 | 4)) == Channels{0});
    CHECK(mixOf(9, taggedLayout(190u << 16 | 9)) == Channels{0});
    CHECK(mixOf(16, taggedLayout(191u << 16 | 16)) == Channels{0});
    CHECK(mixOf(4, labelledLayout({200, 201, 202, 203})) == Channels{0});
    CHECK(mixOf(4, labelledLayout({2u << 16, 2u << 16 | 1, 2u << 16 | 2, 2u << 16 | 3})) == Channels{0});
    CHECK(mixOf(4, labelledLayout({1, 2, 5, 6})) == Channels{0, 1, 2, 3});
    CHECK(mixOf(4, "") == Channels{0, 1, 2, 3});
    CHECK(mixOf(6, taggedLayout(121u << 16 | 6)) == Channels{0, 1, 2, 4, 5}); // MPEG 5.1 A
    CHECK(mixOf(6, taggedLayout(0x10000, 0x3f)) == Channels{0, 1, 2, 4, 5});
    CHECK(mixOf(6, labelledLayout({1, 2, 3, 5, 6, 4})) == Channels{0, 1, 2, 3, 4});
}

TEST_CASE("The channel for low-frequency effects is no part of the mix", "[unit][channels]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "surround.wav";
    const auto write = [&](unsigned channels, unsigned mask) {
        const auto samples = steps(static_cast<int>(channels));
        test::writeBytes(
            path, test::wavFile(test::wavChunk("fmt ", test::extensibleFormat(channels, rate, 32, mask,
                                                                              "\x03" + pcmGuid.substr(1))) +
                                test::wavChunk("data", floatBytes(samples))));
    };
    write(6, 0x3f); // 5.1: FL FR FC LFE BL BR
    CHECK(mixed(path) == Channels{0, 1, 2, 4, 5});
    AudioFile file(path);
    CHECK(test::readAll(file).front() == Approx((1 + 2 + 3 + 5 + 6) / 5.0 / 64.0));
    write(8, 0x63f);
    CHECK(mixed(path) == Channels{0, 1, 2, 4, 5, 6, 7});
    write(3, 0x0b); // 2.1
    CHECK(mixed(path) == Channels{0, 1});
    write(6, 0); // six tracks
    CHECK(mixed(path) == Channels{0, 1, 2, 3, 4, 5});
    write(4, 0x33);
    CHECK(mixed(path) == Channels{0, 1, 2, 3});
    // A chosen channel is that one, LFE too.
    write(6, 0x3f);
    CHECK(mixed(path, 4) == Channels{3});
    // Tracks without a layout stay as they are.
    test::writeAudio(path, test::AudioFormat::flacPcm16, rate, 6, steps(6));
    CHECK(mixed(path) == Channels{0, 1, 2, 3, 4, 5});
}

TEST_CASE("One channel can be chosen, and another one later", "[unit][channels]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "eight.wav";
    test::writeAudio(path, test::AudioFormat::wavFloat, rate, 8, steps(8));
    ReadOptions options;
    options.channel = 3;
    AudioFile file(path, Pipes::refused, options);
    CHECK(test::readAll(file) == std::vector<float>(100, 3.0f / 64.0f));
    file.chooseChannel(8);
    CHECK(test::readAll(file) == std::vector<float>(100, 8.0f / 64.0f));
    file.chooseChannel(ReadOptions::mix);
    CHECK(test::readAll(file) == std::vector<float>(100, 4.5f / 64.0f));
    CHECK_THROWS_WITH(file.chooseChannel(9), ContainsSubstring("has 8 channels, but channel 9 is chosen"));
    options.channel = 2;
    test::writeAudio(path, test::AudioFormat::wavFloat, rate, 1, steps(1));
    CHECK_THROWS_WITH(AudioFile(path, Pipes::refused, options),
                      ContainsSubstring("has 1 channel, but channel 2"));
}

TEST_CASE("Channels that cancel each other out for some seconds are a warning", "[unit][channels]") {
    // Independent noise, but the second channel is the first turned over, with noise of its own, in places.
    const auto warningOf = [](int seconds, const std::vector<std::pair<double, double>>& turned, float own) {
        constexpr int sampleRate = 4000;
        const auto count = static_cast<std::size_t>(seconds) * sampleRate;
        const auto a = test::noise(count, 1), b = test::noise(count, 2), c = test::noise(count, 3);
        audio::ChannelMix mix({0, 1}, sampleRate);
        for (std::size_t i = 0; i < count; ++i) {
            const double time = static_cast<double>(i) / sampleRate;
            const bool over = std::ranges::any_of(
                turned, [&](const auto& each) { return time >= each.first && time < each.second; });
            const float frame[] = {a[i], over ? -a[i] + own * c[i] : b[i]};
            mix.mix(frame);
        }
        return mix.warning().value_or("none");
    };
    CHECK(warningOf(60, {}, 0.0f) == "none");
    CHECK(warningOf(60, {{10.0, 11.0}}, 0.0f) == "none");
    CHECK_THAT(warningOf(60, {{10.0, 15.0}}, 0.0f),
               ContainsSubstring("from 10.0 to 15.0 s, so that") && ContainsSubstring("--channel 1"));
    CHECK_THAT(warningOf(60, {{10.0, 15.0}}, 0.1f), ContainsSubstring("from 10.0 to 15.0 s, so that"));
    CHECK_THAT(warningOf(60, {{10.0, 15.0}, {20.0, 24.0}, {30.0, 31.0}, {40.0, 50.5}}, 0.0f),
               ContainsSubstring("from 10.0 to 15.0 s and for 14.5 s more"));
    CHECK_THAT(warningOf(1, {{0.0, 1.0}}, 0.0f), ContainsSubstring("(nothing is left)"));
    CHECK_THAT(warningOf(60, {{0.0, 60.0}}, 0.1f), ContainsSubstring("dB are lost)"));
}

TEST_CASE("Headers of channels with any bytes do no harm", "[unit][channels]") {
    const test::TemporaryDirectory directory;
    const std::vector<std::string> wholes = {
        caf(4, labelledLayout({200, 201, 202, 203})),
        test::wavFile(test::wavChunk("fmt ", test::extensibleFormat(4, rate, 16, 0, bFormatPcm)) +
                      test::wavChunk("data", test::pcm16(steps(4))))};
    std::mt19937 random(11);
    for (int round = 0; round < 400; ++round) {
        std::string bytes = wholes[static_cast<std::size_t>(round % 2)];
        for (auto change = 1 + random() % 6; change > 0; --change)
            bytes[random() % 150] = static_cast<char>(random());
        test::writeBytes(directory / "any.caf", bytes);
        try {
            AudioFile file(directory / "any.caf");
            for (const std::size_t channel : file.mixedChannels())
                CHECK(channel < static_cast<std::size_t>(file.channels()));
            test::readAll(file);
        } catch (const Error&) {
        }
    }
}
