#include "Core/Frontend/LogMel.h"

#include "Core/Base/Error.h"
#include "Core/Frontend/MelFilterBank.h"
#include "Support/Catch.h"
#include "Support/Golden.h"
#include "Support/ReferenceFrontend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace earshot;
using frontend::LogMel;
using frontend::LogMelSettings;

namespace {

LogMelSettings smallSettings() {
    LogMelSettings settings;
    settings.fftSize = 128;
    settings.hopSize = 40;
    settings.melBands = 12;
    settings.highHz = 16000.0;
    return settings;
}

// Largest difference in dB; infinite when the sizes differ or a value is NaN.
double difference(const std::vector<float>& values, const std::vector<double>& expected) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (values.size() != expected.size()) return infinity;
    double largest = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double d = std::abs(values[i] - expected[i]);
        largest = std::isnan(d) ? infinity : std::max(largest, d);
    }
    return largest;
}

} // namespace

TEST_CASE("Log-mel matches the reference implementation", "[golden]") {
    const auto clip = test::loadClip("input_10s.flac");
    test::Golden golden("tiny_10s_stages.safetensors");

    frontend::PowerSpectrogram spectrogram(1024, 320);
    std::vector<float> powers;
    std::span<const float> samples = clip;
    const auto take = [&] {
        for (auto power = spectrogram.next(samples); !power.empty(); power = spectrogram.next(samples))
            powers.insert(powers.end(), power.begin(), power.end());
    };
    take();
    spectrogram.finish();
    take();
    REQUIRE(golden.relativeDifference("power_spectrogram", powers) <= 1e-4);

    REQUIRE(golden.absoluteDifference("log_mel", frontend::logMelSpectrogram({}, clip)) <= 1e-3);
}

TEST_CASE("Log-mel is what the formulas say, at any clip length", "[unit]") {
    const auto signal = test::testSignal(2000);
    for (std::size_t length : {1, 2, 3, 39, 40, 41, 63, 64, 65, 66, 127, 128, 129, 500, 1999}) {
        CAPTURE(length);
        const auto clip = std::span(signal).first(length);
        REQUIRE(difference(frontend::logMelSpectrogram(smallSettings(), clip),
                           test::referenceLogMel(clip, smallSettings())) <= 1e-3);
    }
    const auto clip = std::span(signal).first(1300);
    REQUIRE(difference(frontend::logMelSpectrogram({}, clip), test::referenceLogMel(clip, {})) <= 1e-3);
}

TEST_CASE("A clip has floor(samples / hop) + 1 frames, none without samples", "[unit]") {
    LogMel logMel({});
    REQUIRE(logMel.frameCount(0) == 0);
    REQUIRE(frontend::logMelSpectrogram({}, {}).empty());
    const auto signal = test::testSignal(1100);
    for (std::size_t length = 1; length <= signal.size(); ++length) {
        std::vector<float> frames;
        logMel.reset();
        logMel.push(std::span(signal).first(length), frames);
        logMel.finish(frames);
        CAPTURE(length);
        REQUIRE(frames.size() == (length / 320 + 1) * 64);
        REQUIRE(static_cast<std::size_t>(logMel.frameCount(static_cast<std::int64_t>(length))) * 64 ==
                frames.size());
        REQUIRE(std::ranges::all_of(frames, [](float v) { return std::isfinite(v); }));
    }
}

TEST_CASE("Blocks of any size give the same frames, bit for bit", "[unit]") {
    const auto clip = test::testSignal(40000);
    const auto whole = frontend::logMelSpectrogram({}, clip);
    std::mt19937 random(7);
    LogMel logMel({});
    for (const std::size_t fixed : {1, 7, 64, 513, 4096, 0}) { // 0: random
        std::vector<float> frames;
        logMel.reset();
        for (std::size_t i = 0; i < clip.size();) {
            const std::size_t block = std::min(fixed > 0 ? fixed : random() % 3000, clip.size() - i);
            logMel.push(std::span(clip).subspan(i, block), frames);
            i += block;
        }
        logMel.finish(frames);
        CAPTURE(fixed);
        REQUIRE(frames == whole);
    }
}

TEST_CASE("Frames come as soon as their samples do", "[unit]") {
    LogMel logMel({});
    std::vector<float> frames;
    const std::vector<float> silence(32000);
    logMel.push(std::span(silence).first(512), frames);
    REQUIRE(frames.empty()); // the reflection at the start ends with sample 512
    logMel.push(std::span(silence).first(1), frames);
    REQUIRE(frames.size() == 64);
    logMel.push(std::span(silence).first(513 + 319 - 513), frames);
    REQUIRE(frames.size() == 2 * 64);
}

TEST_CASE("Silence is -100 dB", "[unit]") {
    const auto frames = frontend::logMelSpectrogram({}, std::vector<float>(1000));
    REQUIRE(frames.size() == 4 * 64);
    REQUIRE(std::ranges::all_of(frames, [](float v) { return v == frontend::silenceDecibels; }));
}

TEST_CASE("A checkpoint's own filters are used", "[unit]") {
    auto settings = smallSettings();
    const auto clip = test::testSignal(1000);
    const auto computed = frontend::logMelSpectrogram(settings, clip);
    settings.filters = frontend::melFilterMatrix(settings);
    REQUIRE(frontend::logMelSpectrogram(settings, clip) == computed);
    for (float& weight : settings.filters) weight *= 10.0f;
    const auto louder = frontend::logMelSpectrogram(settings, clip);
    for (std::size_t i = 0; i < louder.size(); ++i)
        REQUIRE(std::abs(louder[i] - computed[i] - 10.0f) <= 1e-4f);
}

TEST_CASE("Settings that make no spectrogram are refused", "[unit]") {
    const auto refused = [](auto change) {
        LogMelSettings settings;
        change(settings);
        REQUIRE_THROWS_AS(LogMel(settings), Error);
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    refused([](auto& s) { s.sampleRate = 0; });
    refused([](auto& s) { s.fftSize = 14; });
    refused([](auto& s) { s.fftSize = 1023; });
    refused([](auto& s) { s.fftSize = 65538; });
    refused([](auto& s) { s.hopSize = 0; });
    refused([](auto& s) { s.hopSize = 1025; });
    refused([](auto& s) { s.melBands = 0; });
    refused([](auto& s) { s.melBands = 514; });
    refused([](auto& s) { s.lowHz = -1.0; });
    refused([](auto& s) { s.lowHz = nan; });
    refused([](auto& s) { s.highHz = nan; });
    refused([](auto& s) { s.highHz = s.lowHz; });
    refused([](auto& s) { s.highHz = 16001.0; });
    refused([](auto& s) { s.filters.assign(513 * 63, 0.0f); });
    refused([](auto& s) { s.filters.assign(513 * 64, std::numeric_limits<float>::infinity()); });
}

TEST_CASE("The largest and smallest sizes work", "[unit]") {
    const auto clip = test::testSignal(70000);
    for (const auto& [fftSize, hopSize] : {std::pair{16, 1}, {16, 16}, {65536, 65536}}) {
        LogMelSettings settings;
        settings.fftSize = fftSize;
        settings.hopSize = hopSize;
        settings.melBands = 4;
        const auto frames = frontend::logMelSpectrogram(settings, clip);
        REQUIRE(frames.size() == (clip.size() / static_cast<std::size_t>(hopSize) + 1) * 4);
        REQUIRE(std::ranges::all_of(frames, [](float v) { return std::isfinite(v); }));
    }
}
