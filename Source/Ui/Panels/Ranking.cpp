#include "Ui/Panels/Ranking.h"

#include <algorithm>
#include <cmath>

namespace earshot::ui {

namespace {

// Seconds: a new sound shows quickly, one that ends lingers.
constexpr double riseTime = 0.15;
constexpr double fallTime = 0.9;

} // namespace

void Ranking::clear() {
    sounds_.clear();
    order_.clear();
    top_.clear();
}

void Ranking::update(std::span<const float> values, const std::vector<bool>& shown, double elapsed,
                     double hold) {
    if (values.size() != sounds_.size()) {
        clear();
        sounds_.resize(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            sounds_[i].smooth = std::isfinite(values[i]) ? values[i] : 0.0f;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        follow(sounds_[i], std::isfinite(values[i]) ? values[i] : 0.0f, std::max(0.0, elapsed), hold);
    place(shown);
    sort();

    top_.clear();
    for (const int index : order_) {
        const Sound& sound = sounds_[static_cast<std::size_t>(index)];
        top_.push_back({index, sound.value, sound.held});
    }
}

void Ranking::follow(Sound& sound, float value, double elapsed, double hold) const {
    sound.value = value;
    const double time = value > sound.smooth ? riseTime : fallTime;
    sound.smooth += (value - sound.smooth) * static_cast<float>(1.0 - std::exp(-elapsed / time));
    if (value >= sound.held) {
        sound.held = value;
        sound.sinceHeld = 0.0;
        return;
    }
    const double before = sound.sinceHeld;
    sound.sinceHeld += elapsed;
    const double falling = sound.sinceHeld - std::max(hold, before);
    if (falling > 0.0) sound.held = std::max(value, sound.held - fallPerSecond * static_cast<float>(falling));
}

// Fills free places, then lets clearly stronger sounds take the place of the weakest.
void Ranking::place(const std::vector<bool>& shown) {
    const auto takesPart = [&](int index) {
        return static_cast<std::size_t>(index) < shown.size() && shown[static_cast<std::size_t>(index)];
    };
    const auto strength = [&](int index) { return sounds_[static_cast<std::size_t>(index)].smooth; };
    std::erase_if(order_, [&](int index) { return !takesPart(index); });

    std::vector<int> others;
    for (int i = 0; i < static_cast<int>(sounds_.size()); ++i)
        if (takesPart(i) && std::find(order_.begin(), order_.end(), i) == order_.end()) others.push_back(i);
    const auto free = static_cast<std::size_t>(places_) - order_.size();
    const auto candidates = std::min(others.size(), static_cast<std::size_t>(places_));
    std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(candidates), others.end(),
                      [&](int a, int b) { return strength(a) > strength(b); });
    auto next = others.begin();
    const auto last = others.begin() + static_cast<std::ptrdiff_t>(candidates);
    for (std::size_t i = 0; i < free && next != last; ++i) order_.push_back(*next++);
    while (next != last && !order_.empty()) {
        const auto weakest = std::min_element(order_.begin(), order_.end(),
                                              [&](int a, int b) { return strength(a) < strength(b); });
        if (strength(*next) <= strength(*weakest) + margin) break;
        *weakest = *next++;
    }
}

// Neighbours change places only beyond the margin. Every exchange puts a clearly stronger sound first, so
// this ends.
void Ranking::sort() {
    const auto strength = [&](std::size_t place) {
        return sounds_[static_cast<std::size_t>(order_[place])].smooth;
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t place = order_.size(); place-- > 1;) {
            if (strength(place) <= strength(place - 1) + margin) continue;
            std::swap(order_[place], order_[place - 1]);
            moved = true;
        }
    }
}

} // namespace earshot::ui
