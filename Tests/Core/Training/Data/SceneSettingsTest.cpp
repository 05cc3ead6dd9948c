#include "Core/Training/Data/SceneSettings.h"

#include "Support/Catch.h"

#include <cmath>
#include <vector>

using earshot::training::SceneSettings;

namespace {

SceneSettings varied(float amount) {
    SceneSettings settings;
    settings.vary(amount);
    return settings;
}

} // namespace

TEST_CASE("classes that could name noise are known in upper and lower case", "[unit]") {
    REQUIRE(SceneSettings().backgroundClasses({"noise", "Dog", "WHITE noise", "Noises", "Hum"}) ==
            std::vector<int>{0, 2, 4});
    REQUIRE(SceneSettings().backgroundClasses({}).empty());
}

TEST_CASE("a variation of 1 leaves the settings as they are", "[unit]") {
    const SceneSettings usual, same = varied(1.0f);
    REQUIRE(same.speedShare == usual.speedShare);
    REQUIRE(same.slowest == usual.slowest);
    REQUIRE(same.fastest == usual.fastest);
    REQUIRE(same.tiltRange == usual.tiltRange);
    REQUIRE(same.filterRange == usual.filterRange);
    REQUIRE(same.reverbShare == usual.reverbShare);
    REQUIRE(same.layerShare == 0.0f);
}

TEST_CASE("without variation sounds are as they were recorded", "[unit]") {
    const SceneSettings none = varied(0.0f);
    for (const float share :
         {none.speedShare, none.tiltShare, none.lowPassShare, none.sceneLowPassShare, none.reverbShare,
          none.filterShare, none.layerShare, none.tiltRange, none.filterRange})
        REQUIRE(share == 0.0f);
    REQUIRE(none.slowest == 1.0f);
    REQUIRE(none.fastest == 1.0f);
}

TEST_CASE("twice the variation doubles octaves and decibels, and tries twice", "[unit]") {
    const SceneSettings usual, twice = varied(2.0f);
    REQUIRE(std::log2(twice.slowest) == Approx(2.0f * std::log2(usual.slowest)));
    REQUIRE(std::log2(twice.fastest) == Approx(2.0f * std::log2(usual.fastest)));
    REQUIRE(twice.tiltRange == Approx(2.0f * usual.tiltRange));
    REQUIRE(twice.filterRange == Approx(2.0f * usual.filterRange));
    REQUIRE(1.0f - twice.reverbShare == Approx((1.0f - usual.reverbShare) * (1.0f - usual.reverbShare)));
    REQUIRE(twice.layerShare > 0.0f);
    REQUIRE(twice.layerShare < 1.0f);
    REQUIRE(twice.cutOffShare == usual.cutOffShare);
}
