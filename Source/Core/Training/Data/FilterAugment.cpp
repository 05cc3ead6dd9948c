#include "Core/Training/Data/FilterAugment.h"

#include "Core/Frontend/LogMelSettings.h"

#include <algorithm>
#include <vector>

namespace earshot::training {

namespace {

constexpr int fewestBends = 3; // of the line of gains over the bands
constexpr int mostBends = 6;

// dB per mel band: straight lines between bends at random bands.
std::vector<float> drawGains(Dice& dice, float range, int bands) {
    std::vector<int> bends = {0, bands - 1};
    for (int i = dice.from(fewestBends, mostBends) - 2; i > 0; --i) bends.push_back(dice.from(0, bands - 1));
    std::ranges::sort(bends);
    std::vector<float> gains(static_cast<std::size_t>(bands));
    float left = dice.between(-range, range);
    gains.front() = left;
    for (std::size_t i = 1; i < bends.size(); ++i) {
        const float right = dice.between(-range, range);
        const int first = bends[i - 1], last = bends[i];
        for (int band = first + 1; band <= last; ++band)
            gains[static_cast<std::size_t>(band)] =
                left + (right - left) * static_cast<float>(band - first) / static_cast<float>(last - first);
        left = right;
    }
    return gains;
}

} // namespace

void applyFilterAugment(Dice& dice, const SceneSettings& settings, int bands, std::span<float> logMel) {
    if (!dice.chance(settings.filterShare)) return;
    const auto gains = drawGains(dice, settings.filterRange, bands);
    for (std::size_t i = 0; i < logMel.size(); ++i)
        if (logMel[i] > frontend::silenceDecibels)
            logMel[i] = std::max(frontend::silenceDecibels, logMel[i] + gains[i % gains.size()]);
}

} // namespace earshot::training
