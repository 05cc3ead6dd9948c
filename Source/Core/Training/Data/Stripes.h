// SpecAugment's stripes for one example. A pure function of the dice: any thread.
#pragma once

#include "Core/Training/Data/Dice.h"
#include "Core/Training/Data/Example.h"
#include "Core/Training/Scenes/SceneSettings.h"

#include <vector>

namespace earshot::training {

// Appends at most settings.timeStripes and settings.melStripes stripes, within the window.
void drawStripes(Dice& dice, const SceneSettings& settings, int frames, int bands,
                 std::vector<Stripe>& stripes);

} // namespace earshot::training
