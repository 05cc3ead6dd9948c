// Another microphone in another room: gains over the mel bands, the same in all frames of an example.
// FilterAugment, linear (Nam, Kim, Ko and Park, "FilterAugment: an acoustic environmental data augmentation
// method", 2022). A pure function of the dice: any thread.
#pragma once

#include "Core/Training/Data/Dice.h"
#include "Core/Training/Scenes/SceneSettings.h"

#include <span>

namespace earshot::training {

// logMel: (frames, bands) dB. Digital silence stays what it is, and nothing falls below it.
void applyFilterAugment(Dice& dice, const SceneSettings& settings, int bands, std::span<float> logMel);

} // namespace earshot::training
