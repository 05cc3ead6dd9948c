#include "Core/Training/Data/Augment.h"

#include "Core/Frontend/LogMelSettings.h"
#include "Support/Catch.h"

#include <algorithm>
#include <cmath>
#include <vector>

using earshot::frontend::silenceDecibels;
using namespace earshot::training;

TEST_CASE("FilterAugment changes each band alike in all frames, within its range", "[unit]") {
    constexpr int bands = 64, frames = 10;
    SceneSettings settings;
    settings.filterShare = 1.0f;
    settings.filterRange = 9.0f;
    float widest = 0.0f;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        std::vector<float> logMel(bands * frames);
        for (std::size_t i = 0; i < logMel.size(); ++i) logMel[i] = -50.0f + static_cast<float>(i / bands);
        Dice dice(seed);
        applyFilterAugment(dice, settings, bands, logMel);
        for (std::size_t i = 0; i < logMel.size(); ++i) {
            const float gain = logMel[i] - (-50.0f + static_cast<float>(i / bands));
            CHECK(gain == Approx(logMel[i % bands] + 50.0f).margin(1e-4));
            widest = std::max(widest, std::abs(gain));
        }
    }
    CHECK(widest <= 9.0f + 1e-4f);
    CHECK(widest > 6.0f);
}

TEST_CASE("FilterAugment leaves digital silence, and is left out as often as asked", "[unit]") {
    constexpr int bands = 8;
    SceneSettings settings;
    settings.filterRange = 12.0f;
    int changed = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        std::vector<float> logMel(bands * 3, silenceDecibels + 2.0f);
        std::fill_n(logMel.begin(), bands, silenceDecibels);
        const auto before = logMel;
        Dice dice(seed);
        applyFilterAugment(dice, settings, bands, logMel);
        CHECK(std::equal(logMel.begin(), logMel.begin() + bands, before.begin()));
        CHECK(*std::ranges::min_element(logMel) >= silenceDecibels);
        changed += logMel != before ? 1 : 0;
    }
    CHECK(changed > 150);
    CHECK(changed < 250);
    settings.filterShare = 0.0f;
    std::vector<float> logMel(bands, -30.0f);
    Dice dice(3);
    applyFilterAugment(dice, settings, bands, logMel);
    CHECK(logMel == std::vector<float>(bands, -30.0f));
}
