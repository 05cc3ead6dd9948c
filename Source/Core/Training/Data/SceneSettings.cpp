#include "Core/Training/Data/SceneSettings.h"

#include "Core/Training/Data/DataSetReaders.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace earshot::training {

namespace {

constexpr float layersAbove = 0.25f; // share of layered sounds for each step above 1

}

std::vector<int> SceneSettings::backgroundClasses(const std::vector<std::string>& labels) const {
    std::vector<int> found;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::string label = lowerCase(labels[i]);
        if (std::ranges::any_of(backgroundLabels, [&](const auto& name) { return lowerCase(name) == label; }))
            found.push_back(static_cast<int>(i));
    }
    return found;
}

SceneSettings SceneSettings::clear() {
    SceneSettings settings;
    settings.maxEvents = 2;
    settings.minSnr = 10.0f;
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
