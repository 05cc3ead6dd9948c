#include "Core/Training/Data/ClipActivity.h"

#include "Core/Training/Data/Dice.h"
#include "Core/Training/SoundLibrary.h"
#include "Support/Catch.h"

#include <algorithm>
#include <cmath>

using namespace earshot::training;

namespace {

constexpr int rate = 32000;
constexpr double frame = 0.01; // seconds, of the envelope

std::vector<std::int16_t> inBits(const std::vector<float>& samples) {
    std::vector<std::int16_t> result;
    for (const float sample : samples)
        result.push_back(static_cast<std::int16_t>(std::lround(32767.0f * sample)));
    return result;
}

std::vector<float> silence(double seconds) {
    return std::vector<float>(static_cast<std::size_t>(std::lround(seconds * rate)), 0.0f);
}

void append(std::vector<float>& samples, const std::vector<float>& more) {
    samples.insert(samples.end(), more.begin(), more.end());
}

void addHiss(std::vector<float>& samples, float amplitude) {
    const auto hiss = earshot::test::noise(samples.size(), 5, amplitude);
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += hiss[i];
}

void requireStretch(const Activity& activity, double onset, double offset) {
    REQUIRE(std::abs(static_cast<double>(activity.first) / rate - onset) <= frame + 1e-9);
    REQUIRE(std::abs(static_cast<double>(activity.last) / rate - offset) <= frame + 1e-9);
}

} // namespace

TEST_CASE("a sound is active where it sounds, over silence and over hiss", "[unit]") {
    for (const float hiss : {0.0f, 0.001f, 0.02f}) {
        INFO("hiss " << hiss);
        std::vector<float> samples = silence(0.5);
        append(samples, earshot::test::sine(700.0, 0.6, rate));
        append(samples, silence(0.9));
        append(samples, earshot::test::sine(700.0, 0.3, rate, 0.3f));
        append(samples, silence(1.2));
        addHiss(samples, hiss);
        const auto activity = activityOf(inBits(samples), rate);
        REQUIRE(activity.size() == 2);
        requireStretch(activity[0], 0.5, 1.1);
        requireStretch(activity[1], 2.0, 2.3);
    }
}

TEST_CASE("steady sounds are active from end to end", "[unit]") {
    REQUIRE(activityOf(inBits(earshot::test::noise(5 * rate, 3)), rate).size() == 1);
    requireStretch(activityOf(inBits(earshot::test::noise(5 * rate, 3)), rate).front(), 0.0, 5.0);
    // With swells of 10 dB, as rain and crowds have.
    auto swelling = earshot::test::noise(5 * rate, 3);
    for (std::size_t i = 0; i < swelling.size(); ++i)
        swelling[i] *= std::pow(10.0f, 0.25f * (std::sin(static_cast<float>(i) * 1e-4f) - 1.0f));
    requireStretch(activityOf(inBits(swelling), rate).front(), 0.0, 5.0);
}

TEST_CASE("short pauses are closed and quiet blips dropped", "[unit]") {
    std::vector<float> samples = silence(0.3);
    append(samples, earshot::test::sine(500.0, 0.2, rate));
    append(samples, silence(0.1));
    append(samples, earshot::test::sine(500.0, 0.2, rate));
    append(samples, silence(0.5));
    append(samples, earshot::test::sine(500.0, 0.01, rate, 0.03f)); // -24 dB
    append(samples, silence(0.5));
    const auto activity = activityOf(inBits(samples), rate);
    REQUIRE(activity.size() == 1);
    requireStretch(activity.front(), 0.3, 0.8);
}

TEST_CASE("a click of a few samples is a sound", "[unit]") {
    auto samples = silence(1.0);
    for (std::size_t i = 16000; i < 16020; ++i) samples[i] = i % 2 == 0 ? 0.9f : -0.9f;
    const auto activity = activityOf(inBits(samples), rate);
    REQUIRE(activity.size() == 1);
    REQUIRE(activity.front().first <= 16000);
    REQUIRE(activity.front().last >= 16020);
    REQUIRE(activity.front().last - activity.front().first <= rate / 50);
}

TEST_CASE("activity is in order, apart, within the clip, and never empty", "[unit]") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        INFO("seed " << seed);
        Dice dice(seed);
        std::vector<std::int16_t> samples(static_cast<std::size_t>(dice.from(1, 40000)));
        float level = 1.0f;
        for (auto& sample : samples) {
            if (dice.chance(0.0005f)) level = std::pow(10.0f, dice.between(-4.5f, 0.0f));
            sample = static_cast<std::int16_t>(32767.0f * level * dice.between(-1.0f, 1.0f));
        }
        samples[dice.below(samples.size())] = 20000;
        const int anyRate = dice.from(1, 3) * 16000;
        const auto activity = activityOf(samples, anyRate);
        REQUIRE_FALSE(activity.empty());
        std::int64_t end = -1;
        for (const auto& [first, last] : activity) {
            REQUIRE(first > end);
            REQUIRE(last > first);
            end = last;
        }
        REQUIRE(activity.front().first >= 0);
        REQUIRE(end <= static_cast<std::int64_t>(samples.size()));
    }
    REQUIRE(activityOf({}, rate).empty());
}

TEST_CASE("stretches merge over gaps, however they come", "[unit]") {
    const auto result = merged({{50, 60}, {0, 10}, {12, 20}, {5, 8}, {31, 40}}, 2);
    REQUIRE(result.size() == 3);
    REQUIRE(result[0].first == 0);
    REQUIRE(result[0].last == 20);
    REQUIRE(result[1].first == 31);
    REQUIRE(result[2].last == 60);
}
