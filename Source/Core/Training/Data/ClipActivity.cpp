#include "Core/Training/Data/ClipActivity.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace earshot::training {

namespace {

constexpr double frameSeconds = 0.01;
constexpr double maxPause = 0.15; // shorter pauses are closed
constexpr std::size_t loudFrames = 10;
constexpr float digitalSilence = -90.0f; // dB full scale: padding, which is no background

// Relative to the loudest 0.1 s:
constexpr float shortRange = 30.0f;  // dB, of sounds that are quiet most of the time
constexpr float steadyRange = 45.0f; // dB, of sounds that are loud most of the time
constexpr float loudRange = 20.0f;   // dB; frames above this count as loud
constexpr float fewLoud = 0.3f;      // most of them in a short sound
constexpr float manyLoud = 0.7f;     // fewest of them in a steady one

constexpr float aboveFloor = 8.0f;  // dB by which a sound exceeds a constant background
constexpr float floorDepth = 15.0f; // dB; a floor less far below the loud parts belongs to the sound
constexpr float loudBlip = 12.0f;   // dB; a frame this close to the loud parts is no blip

std::vector<float> envelope(std::span<const std::int16_t> samples, std::size_t frame) {
    std::vector<float> levels;
    levels.reserve(samples.size() / frame + 1);
    for (std::size_t begin = 0; begin < samples.size(); begin += frame) {
        const auto part = samples.subspan(begin, std::min(frame, samples.size() - begin));
        double energy = 0.0;
        for (const std::int16_t sample : part) energy += static_cast<double>(sample) * sample;
        const double power = energy / static_cast<double>(part.size()) / (32768.0 * 32768.0);
        levels.push_back(static_cast<float>(10.0 * std::log10(std::max(power, 1e-12))));
    }
    return levels;
}

// Mean power of the loudest frames.
float loudLevel(std::vector<float> levels) {
    const std::size_t count = std::min(loudFrames, levels.size());
    std::ranges::nth_element(levels, levels.begin() + static_cast<std::ptrdiff_t>(count) - 1, std::greater{});
    double power = 0.0;
    for (std::size_t i = 0; i < count; ++i) power += std::pow(10.0, 0.1 * static_cast<double>(levels[i]));
    return static_cast<float>(10.0 * std::log10(power / static_cast<double>(count)));
}

float threshold(std::vector<float> levels, float loud) {
    std::erase_if(levels, [](float level) { return level < digitalSilence; });
    if (levels.empty()) return loud - shortRange;
    const auto loudCount =
        std::ranges::count_if(levels, [&](float level) { return level > loud - loudRange; });
    const float share = static_cast<float>(loudCount) / static_cast<float>(levels.size());
    const float steadiness = std::clamp((share - fewLoud) / (manyLoud - fewLoud), 0.0f, 1.0f);
    const float range = shortRange + (steadyRange - shortRange) * steadiness;

    const auto tenth = levels.begin() + static_cast<std::ptrdiff_t>(levels.size() / 10);
    std::ranges::nth_element(levels, tenth);
    return std::max(loud - range, std::min(*tenth + aboveFloor, loud - floorDepth));
}

} // namespace

std::vector<Activity> merged(std::vector<Activity> stretches, std::int64_t gap) {
    std::ranges::sort(stretches, {}, &Activity::first);
    std::vector<Activity> result;
    for (const Activity& stretch : stretches) {
        if (!result.empty() && stretch.first - result.back().last <= gap)
            result.back().last = std::max(result.back().last, stretch.last);
        else
            result.push_back(stretch);
    }
    return result;
}

std::vector<Activity> activityOf(std::span<const std::int16_t> samples, int sampleRate) {
    if (samples.empty()) return {};
    const auto frame = static_cast<std::size_t>(std::max(1.0, std::round(frameSeconds * sampleRate)));
    const auto levels = envelope(samples, frame);
    const float loud = loudLevel(levels);
    const float sounding = threshold(levels, loud);

    std::vector<Activity> stretches;
    for (std::size_t i = 0; i < levels.size(); ++i)
        if (levels[i] >= sounding)
            stretches.push_back({static_cast<std::int64_t>(i * frame),
                                 static_cast<std::int64_t>(std::min((i + 1) * frame, samples.size()))});
    stretches = merged(std::move(stretches), 0);
    std::erase_if(stretches, [&](const Activity& stretch) {
        const auto first = static_cast<std::size_t>(stretch.first) / frame;
        return stretch.last - stretch.first <= static_cast<std::int64_t>(frame) &&
               levels[first] < loud - loudBlip;
    });
    return merged(std::move(stretches), static_cast<std::int64_t>(maxPause * sampleRate));
}

} // namespace earshot::training
