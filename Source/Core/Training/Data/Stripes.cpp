#include "Core/Training/Data/Stripes.h"

#include <algorithm>

namespace earshot::training {

void drawStripes(Dice& dice, const SceneSettings& settings, int frames, int bands,
                 std::vector<Stripe>& stripes) {
    if (!dice.chance(settings.stripeShare)) return;
    const auto draw = [&](bool inTime, int most, int widest, int size) {
        const int count = dice.from(0, std::max(0, most));
        for (int i = 0; i < count; ++i) {
            const int width = dice.from(1, std::clamp(widest, 1, size));
            stripes.push_back({.inTime = inTime, .first = dice.from(0, size - width), .count = width});
        }
    };
    draw(true, settings.timeStripes, settings.longestTimeStripe, frames);
    draw(false, settings.melStripes, settings.widestMelStripe, bands);
}

} // namespace earshot::training
