#include "Core/Training/Scenes/SceneSettings.h"

#include <algorithm>
#include <cmath>

namespace earshot::training {

namespace {

constexpr float layersAbove = 0.25f; // share of layered sounds for each step above 1

}

SceneSettings SceneSettings::clear() {
    SceneSettings settings;
    settings.maxEvents = 2;
    settings.lowestSnr = 10.0f;
    settings.levelSpread = 6.0f;
    return settings;
}

void SceneSettings::vary(float amount) {
    if (amount == 1.0f) return; // unchanged to the bit, so that a seed gives the same scenes as before
    const auto share = [amount](float& value) { value = 1.0f - std::pow(1.0f - value, amount); };
    for (float* value :
         {&speedShare, &tiltShare, &lowPassShare, &sceneLowPassShare, &reverbShare, &filterShare})
        share(*value);
    slowest = std::pow(slowest, amount);
    fastest = std::pow(fastest, amount);
    tiltRange *= amount;
    filterRange *= amount;
    layerShare = std::clamp(layersAbove * (amount - 1.0f), 0.0f, 1.0f);
}

} // namespace earshot::training
