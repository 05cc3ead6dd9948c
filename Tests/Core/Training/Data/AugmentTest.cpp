#include "Core/Training/Data/Augment.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <algorithm>
#include <cmath>

using namespace earshot::training;
using earshot::test::sine;

namespace {

constexpr int rate = 32000;

double decibels(std::span<const float> samples) {
    return 10.0 * std::log10(energyOf(samples) / static_cast<double>(samples.size()) + 1e-20);
}

// What a filter does to a sine of that frequency, once it has settled.
template <typename Filter>
double gainAt(double hertz, Filter&& filter) {
    auto samples = sine(hertz, 1.0, rate);
    const double before = decibels(std::span(samples).last(rate / 2));
    filter(std::span<float>(samples));
    return decibels(std::span(samples).last(rate / 2)) - before;
}

std::vector<std::int16_t> inBits(const std::vector<float>& samples) {
    std::vector<std::int16_t> result;
    for (const float sample : samples)
        result.push_back(static_cast<std::int16_t>(std::lround(32768.0f * sample)));
    return result;
}

} // namespace

TEST_CASE("another speed is another pitch and length", "[unit]") {
    const auto clip = inBits(sine(1000.0, 1.0, rate));
    for (const double speed : {0.85, 0.97, 1.0, 1.1, 1.18}) {
        INFO("speed " << speed);
        std::vector<float> played = {7.0f};
        appendAtSpeed(clip, 0, rate, speed, played);
        REQUIRE(played.size() == 1 + static_cast<std::size_t>(rate / speed));
        REQUIRE(played.front() == 7.0f);
        const auto wanted = sine(1000.0 * speed, 1.2, rate);
        for (std::size_t i = 2; i + 3 < played.size() - 1; ++i) {
            const float difference = std::abs(played[i + 1] - wanted[i]);
            REQUIRE(difference < 0.003f);
        }
    }
}

TEST_CASE("any stretch of any clip can be played", "[unit]") {
    for (const std::size_t length : {1, 2, 3, 4, 5, 100}) {
        const auto clip = inBits(earshot::test::noise(length, 1));
        const auto end = static_cast<std::int64_t>(length);
        for (std::int64_t first = 0; first <= end; first += std::max<std::int64_t>(1, end / 10))
            for (std::int64_t last = first; last <= end; last += std::max<std::int64_t>(1, end / 10))
                for (const double speed : {0.5, 0.85, 1.0, 1.18, 2.0}) {
                    std::vector<float> played;
                    appendAtSpeed(clip, first, last, speed, played);
                    REQUIRE(played.size() ==
                            static_cast<std::size_t>(static_cast<double>(last - first) / speed));
                    for (const float sample : played) REQUIRE(std::abs(sample) <= 1.0f);
                }
    }
}

TEST_CASE("a tilt lifts one side of its pivot and lowers the other", "[unit]") {
    for (const double wanted : {-6.0, 0.0, 3.0, 6.0}) {
        const auto shelf = [wanted](std::span<float> samples) { tilt(samples, 1000.0, wanted, rate); };
        REQUIRE(std::abs(gainAt(30.0, shelf) + 0.5 * wanted) < 0.2);
        REQUIRE(std::abs(gainAt(15000.0, shelf) - 0.5 * wanted) < 1.0);
    }
}

TEST_CASE("a low-pass is 3 dB down at its cut and steeper with more sections", "[unit]") {
    for (int sections = 1; sections <= 5; ++sections) {
        INFO(sections << " sections");
        const auto filter = [sections](std::span<float> samples) {
            lowPass(samples, 5000.0, sections, rate);
        };
        REQUIRE(std::abs(gainAt(500.0, filter)) < 0.05);
        REQUIRE(std::abs(gainAt(5000.0, filter) + 3.01) < 0.1);
        REQUIRE(gainAt(10000.0, filter) < -12.0 * sections);
    }
}

TEST_CASE("rooms ring after the sound and die away", "[unit]") {
    auto samples = sine(800.0, 0.1, rate);
    samples.resize(2 * rate, 0.0f);
    const auto dry = samples;
    Reverb reverb;
    for (int again = 0; again < 2; ++again) {
        samples = dry;
        reverb.process(samples, {.size = 1.0, .seconds = 0.5, .wet = 0.4f}, rate);
    }
    const auto part = [&](double from) {
        return decibels(std::span(samples).subspan(static_cast<std::size_t>(from * rate), rate / 10));
    };
    REQUIRE(part(0.15) > -50.0);
    REQUIRE(part(0.65) < part(0.15) - 45.0);
    REQUIRE(part(1.8) < -120.0);
    for (const float sample : samples) REQUIRE(std::isfinite(sample));
}

TEST_CASE("recorded rooms are convolved as by a plain loop, whatever the lengths", "[unit]") {
    Convolver convolver;
    for (const std::size_t room : {1, 100, 5000})
        for (const std::size_t length : {1, 50, 4096, 9000}) {
            INFO(room << " and " << length << " samples");
            const auto response = earshot::test::noise(room, 1);
            const auto dry = earshot::test::noise(length, 2);
            auto samples = dry;
            convolver.process(samples, response, 0.75f);
            double worst = 0.0;
            for (std::size_t i = 0; i < length; ++i) {
                double wet = 0.0;
                for (std::size_t k = 0; k < std::min(room, i + 1); ++k)
                    wet += static_cast<double>(response[k]) * static_cast<double>(dry[i - k]);
                const double wanted = 0.25 * static_cast<double>(dry[i]) + 0.75 * wet;
                worst = std::max(worst, std::abs(wanted - static_cast<double>(samples[i])));
            }
            REQUIRE(worst < 1e-6 * std::sqrt(static_cast<double>(room)) + 1e-6);
        }
}

TEST_CASE("fades begin and end at nothing and leave the rest", "[unit]") {
    std::vector<float> samples(100, 1.0f);
    fadeIn(samples, 10);
    fadeOut(samples, 20);
    REQUIRE(samples.front() < 0.01f);
    REQUIRE(samples.back() < 0.01f);
    REQUIRE(std::all_of(samples.begin() + 10, samples.begin() + 80, [](float s) { return s == 1.0f; }));
    REQUIRE(std::is_sorted(samples.begin(), samples.begin() + 10));
    std::vector<float> few(3, 1.0f);
    fadeIn(few, 1000);
    fadeOut(few, 1000);
    REQUIRE(peakOf(few) < 1.0f);
    REQUIRE(peakOf({}) == 0.0f);
}

TEST_CASE("peaks and energies are those of plain loops", "[unit]") {
    for (std::size_t size = 0; size < 100; ++size) {
        const auto samples = earshot::test::noise(size, static_cast<std::uint32_t>(size + 1));
        float peak = 0.0f;
        double energy = 0.0;
        for (const float sample : samples) {
            peak = std::max(peak, std::abs(sample));
            energy += static_cast<double>(sample) * static_cast<double>(sample);
        }
        REQUIRE(peakOf(samples) == peak);
        REQUIRE(std::abs(energyOf(samples) - energy) <= 1e-5 * energy);
    }
}
