#include "Ui/Timeline/LaneOrder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace earshot::ui {

namespace {

constexpr float attack = 0.5f;   // how far a louder column raises the strength, as a share of the difference
constexpr double patience = 3.0; // seconds for which a sound must be clearly stronger
constexpr double eagerPatience = 0.6; // seconds, if it sounds and the other does not
constexpr double betweenMoves = 1.0;  // seconds

} // namespace

void LaneOrder::reset(int classes) {
    order_.resize(at(classes));
    std::iota(order_.begin(), order_.end(), 0);
    strengths_.assign(at(classes), 0.0f);
    waitsSince_.assign(at(classes), -1.0);
    lastMove_ = -1e9;
}

void LaneOrder::observe(std::span<const float> probabilities, double seconds, double halfLife) {
    const auto kept = halfLife > 0.0 ? static_cast<float>(std::exp2(-seconds / halfLife)) : 1.0f;
    const std::size_t count = std::min(probabilities.size(), strengths_.size());
    for (std::size_t c = 0; c < count; ++c) {
        float& strength = strengths_[c];
        const float heard = probabilities[c];
        if (heard > strength)
            strength += attack * (heard - strength);
        else
            strength = std::max(strength * kept, std::min(strength, heard));
    }
}

bool LaneOrder::passes(int lane, int other, const std::vector<bool>& sounding) const {
    const float own = strengths_[at(lane)], theirs = strengths_[at(other)];
    if (sounding[at(lane)] && !sounding[at(other)]) return own > 1.2f * theirs + 0.05f;
    return own > 1.5f * theirs + 0.1f;
}

bool LaneOrder::settle(double now, const std::vector<bool>& sounding) {
    if (sounding.size() != order_.size()) return false;
    bool moved = false;
    for (std::size_t i = 1; i < order_.size(); ++i) {
        const int lane = order_[i];
        double& since = waitsSince_[at(lane)];
        const auto end = order_.begin() + static_cast<std::ptrdiff_t>(i);
        const auto target =
            std::find_if(order_.begin(), end, [&](int other) { return passes(lane, other, sounding); });
        if (target == end) {
            since = -1.0;
            continue;
        }
        if (since < 0.0) since = now;
        const bool eager = sounding[at(lane)] && !sounding[at(*target)];
        if (now - since < (eager ? eagerPatience : patience) || now - lastMove_ < betweenMoves) continue;
        std::rotate(target, end, end + 1);
        since = -1.0;
        moved = true;
    }
    if (moved) lastMove_ = now;
    return moved;
}

void LaneOrder::sort() {
    std::ranges::sort(order_, [&](int a, int b) {
        return strengths_[at(a)] != strengths_[at(b)] ? strengths_[at(a)] > strengths_[at(b)] : a < b;
    });
    std::ranges::fill(waitsSince_, -1.0);
}

} // namespace earshot::ui
