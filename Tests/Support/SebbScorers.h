// Networks of confidences for tests.
#pragma once

#include "Core/Detection/Events/Sebbs.h"

#include <cstddef>
#include <memory>

namespace earshot::test {

// Places in detection::SebbFeatures.
inline constexpr std::size_t meanFeature = 1, minFeature = 2;

// Confidence grows with one feature alone, and is 0.5, which is also the least, where that is 0.
inline std::shared_ptr<const detection::SebbScorer> scorerBy(std::size_t feature, float weight,
                                                             int classes = 1) {
    detection::SebbNetwork network;
    network.scale.fill(1.0f);
    network.hiddenWeights.resize(1);
    network.hiddenWeights[0][feature] = weight;
    network.hiddenBiases = {0.0f};
    network.outputWeights = {4.0f};
    network.classBiases.assign(static_cast<std::size_t>(classes), 0.0f);
    return std::make_shared<const detection::SebbScorer>(network, 0.5f);
}

} // namespace earshot::test
