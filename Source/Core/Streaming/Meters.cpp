#include "Core/Streaming/Meters.h"

#include <algorithm>
#include <cmath>

namespace earshot::streaming {

namespace {

constexpr auto slotLength = std::chrono::milliseconds(250);

} // namespace

void DelayMeter::add(double seconds) { delays_[count_++ % delays_.size()] = seconds; }

double DelayMeter::quantile(double share) const {
    const std::size_t known = std::min(count_, delays_.size());
    if (known == 0) return 0.0;
    auto sorted = delays_;
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(known)));
    const auto wanted =
        sorted.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(rank, 1, known) - 1);
    std::nth_element(sorted.begin(), wanted, sorted.begin() + static_cast<std::ptrdiff_t>(known));
    return *wanted;
}

void LoadMeter::reset(Clock::time_point now) {
    slots_ = {};
    slot_ = 0;
    slotStart_ = now;
}

void LoadMeter::tick(Clock::time_point now) {
    slots_[slot_].length = now - slotStart_;
    if (slots_[slot_].length < slotLength) return;
    slot_ = (slot_ + 1) % slots_.size();
    slots_[slot_] = {};
    slotStart_ = now;
}

double LoadMeter::load() const {
    Slot sum;
    for (const Slot& slot : slots_) {
        sum.busy += slot.busy;
        sum.length += slot.length;
    }
    if (sum.length <= Clock::duration::zero()) return 0.0;
    const double load = std::chrono::duration<double>(sum.busy) / std::chrono::duration<double>(sum.length);
    return std::clamp(load, 0.0, 1.0);
}

} // namespace earshot::streaming
