#include "Core/Audio/Resampler.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

using earshot::audio::Resampler;
namespace test = earshot::test;

namespace {

constexpr double modelRate = 32000.0;

std::vector<float> resample(Resampler& resampler, std::span<const float> input) {
    std::vector<float> output;
    resampler.push(input, output);
    resampler.finish(output);
    return output;
}

std::vector<float> resample(std::span<const float> input, double from, double to) {
    Resampler resampler(from, to);
    return resample(resampler, input);
}

std::size_t indexOfPeak(const std::vector<float>& samples) {
    const auto larger = [](float a, float b) { return std::abs(a) < std::abs(b); };
    return static_cast<std::size_t>(std::max_element(samples.begin(), samples.end(), larger) -
                                    samples.begin());
}

// Away from both ends, where the filter reaches beyond the signal.
std::span<const float> middle(const std::vector<float>& samples) {
    return std::span(samples).subspan(samples.size() / 4, samples.size() / 2);
}

double rms(std::span<const float> samples) {
    double sum = 0.0;
    for (const float sample : samples) sum += static_cast<double>(sample) * static_cast<double>(sample);
    return std::sqrt(sum / static_cast<double>(samples.size()));
}

} // namespace

TEST_CASE("resampling depends on the samples alone, not on how they are cut", "[unit]") {
    for (const double rate : {8000.0, 22050.0, 44100.0, 48000.0, 192000.0}) {
        const std::vector<float> input = test::noise(30000, 1);
        const std::vector<float> whole = resample(input, rate, modelRate);
        std::mt19937 generator(7);
        for (const std::size_t largest : {1u, 7u, 64u, 513u, 4096u}) {
            CAPTURE(rate, largest);
            Resampler resampler(rate, modelRate);
            std::vector<float> output;
            for (std::size_t begin = 0; begin < input.size();) {
                const std::size_t length = std::min(1 + generator() % largest, input.size() - begin);
                resampler.push(std::span(input).subspan(begin, length), output);
                begin += length;
            }
            resampler.finish(output);
            CHECK((output == whole));
        }
    }
}

TEST_CASE("the resampled length is the input's, rounded at the new rate", "[unit]") {
    for (const double from :
         {1000.0, 8000.0, 11025.0, 44056.0, 44100.0, 48000.0, 96000.0, 192000.0, 1000000.0})
        for (const double to : {16000.0, 32000.0, 44100.0, 48000.0})
            for (const std::size_t length : {0u, 1u, 2u, 10u, 11u, 400u, 441u, 12345u}) {
                CAPTURE(from, to, length);
                const auto expected = std::llround(static_cast<double>(length) * to / from);
                CHECK(static_cast<long long>(resample(test::noise(length, 2), from, to).size()) == expected);
            }
}

TEST_CASE("equal rates pass through bit for bit", "[unit]") {
    const std::vector<float> input = test::noise(1001, 3, 3.0f);
    CHECK(resample(input, 44100.0, 44100.0) == input);
}

TEST_CASE("a reset resampler begins a fresh stream", "[unit]") {
    const std::vector<float> input = test::noise(5000, 4);
    Resampler resampler(44100.0, modelRate);
    std::vector<float> dropped;
    resampler.push(test::noise(3333, 5), dropped);
    resampler.reset();
    const std::vector<float> first = resample(resampler, input);
    CHECK((first == resample(input, 44100.0, modelRate)));
    resampler.reset();
    CHECK((resample(resampler, input) == first));
}

TEST_CASE("an impulse keeps its time", "[unit]") {
    for (const double rate : {8000.0, 16000.0, 48000.0, 96000.0, 192000.0}) {
        CAPTURE(rate);
        const auto second = static_cast<std::size_t>(rate);
        std::vector<float> input(2 * second);
        input[second] = 1.0f;
        CHECK(indexOfPeak(resample(input, rate, modelRate)) == static_cast<std::size_t>(modelRate));
    }
}

TEST_CASE("a sine in the pass band keeps its level and phase", "[unit]") {
    for (const int rate : {8000, 22050, 44100, 48000, 192000}) {
        // Up to 85 % of the lower Nyquist frequency.
        for (const double part : {0.01, 0.3, 0.85}) {
            const double hertz = part * std::min<double>(rate, modelRate) / 2.0;
            CAPTURE(rate, hertz);
            const std::vector<float> output = resample(test::sine(hertz, 1.0, rate), rate, modelRate);
            const std::vector<float> expected = test::sine(hertz, 1.0, static_cast<int>(modelRate));
            REQUIRE(output.size() == expected.size());
            std::vector<float> difference(output.size());
            for (std::size_t i = 0; i < output.size(); ++i) difference[i] = output[i] - expected[i];
            REQUIRE(rms(middle(difference)) <= 1.2e-3 * rms(middle(expected))); // libsoxr's roll-off: 0.01 dB
        }
    }
}

TEST_CASE("what the new rate cannot hold is removed, not folded back", "[unit]") {
    for (const int rate : {44100, 48000, 96000, 192000}) {
        const std::vector<float> input = test::sine(17500.0, 1.0, rate);
        CAPTURE(rate);
        REQUIRE(rms(middle(resample(input, rate, modelRate))) <= 1e-5 * rms(input)); // -100 dB
    }
}

TEST_CASE("the end of a stream takes nothing back that was handed out before", "[unit]") {
    // The caller may have taken all that came so far: only what finish() adds may be cut.
    for (const double from : {1000.0, 44100.0, 768000.0, 1000000.0})
        for (const double to : {1000.0, 32000.0, 768000.0})
            for (const std::size_t length : {1u, 2u, 3u, 10u, 999u, 1000u, 1001u, 50'000u}) {
                CAPTURE(from, to, length);
                Resampler resampler(from, to);
                std::vector<float> output;
                std::size_t taken = 0;
                for (const float sample : test::noise(length, 4)) {
                    resampler.push(std::span(&sample, 1), output);
                    taken += output.size();
                    output.clear();
                }
                REQUIRE_NOTHROW(resampler.finish(output));
                const auto expected = std::llround(static_cast<double>(length) * to / from);
                CHECK(static_cast<long long>(taken + output.size()) == expected);
            }
}
