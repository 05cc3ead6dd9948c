#include "Ui/Timeline/Mark.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::ui {

namespace {

constexpr double rounding = 1e-9; // seconds

} // namespace

void Mark::set(double onset, double offset, double heard) {
    dragFrom(onset);
    dragTo(std::max(onset, offset), heard);
}

void Mark::dragTo(double seconds, double heard) {
    assert(std::isfinite(seconds) && std::isfinite(held_));
    if (!(heard >= shortest)) {
        onset_ = offset_ = 0.0;
        cut_ = false;
        return;
    }
    const double held = std::clamp(held_, 0.0, heard);
    const double to = std::clamp(seconds, 0.0, heard);
    const double length = std::clamp(std::abs(to - held), shortest, longest);
    cut_ = std::abs(to - held) > longest + rounding;
    onset_ = std::clamp(to < held ? held - length : held, 0.0, heard - length);
    offset_ = std::min(onset_ + length, heard);
}

void Mark::moveBy(double seconds, double heard) {
    assert(std::isfinite(seconds));
    if (!exists()) return;
    const double length = offset_ - onset_;
    onset_ = std::clamp(onset_ + seconds, 0.0, std::max(0.0, heard - length));
    offset_ = onset_ + length;
    cut_ = false;
}

void Mark::moveEndBy(End end, double seconds, double heard) {
    assert(std::isfinite(seconds));
    if (!exists()) return;
    dragFrom(end);
    dragTo(end == End::onset ? std::min(onset_ + seconds, offset_ - shortest)
                             : std::max(offset_ + seconds, onset_ + shortest),
           heard);
}

void Mark::clear() { *this = {}; }

} // namespace earshot::ui
