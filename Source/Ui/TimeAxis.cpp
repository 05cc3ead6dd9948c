#include "Ui/TimeAxis.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::ui {

namespace {

constexpr double tolerance = 1e-6; // seconds
constexpr double growth = 1.25;    // of the room for a stream that grows on

} // namespace

juce::String clockText(const WallTime& began, double seconds, int decimals) {
    // Rounded first, so that 59.96 s are the next minute.
    const double unit = 1000.0 / std::pow(10.0, decimals); // milliseconds
    auto time = later(began, seconds);
    time.milliseconds = std::llround(std::round(static_cast<double>(time.milliseconds) / unit) * unit);
    constexpr std::size_t whole = 8; // "02:30:02" of "02:30:02.900"
    const std::size_t length = decimals > 0 ? whole + 1 + static_cast<std::size_t>(decimals) : whole;
    return timeText(time, true).substr(0, length);
}

double TimeAxis::possible(double seconds) const { return std::clamp(seconds, shortest, room()); }

double TimeAxis::room() const {
    if (expected_ > 0.0) return std::max({contentEnd_, expected_, shortest});
    double seconds = usual;
    while (seconds < contentEnd_) seconds *= growth;
    return seconds;
}

void TimeAxis::setContentEnd(double seconds, double expected) {
    if (!std::isfinite(seconds) || seconds < 0.0 || !std::isfinite(expected)) return;
    contentEnd_ = seconds;
    if (std::abs(expected - expected_) > tolerance) expected_ = expected;
    place(start_, possible(wanted_), following_);
}

void TimeAxis::setVisible(double seconds, double anchor) {
    if (!std::isfinite(seconds) || !std::isfinite(anchor)) return;
    wanted_ = std::clamp(seconds, shortest, everything);
    const double visible = possible(seconds);
    const double part = std::clamp((anchor - start_) / visible_, 0.0, 1.0);
    place(anchor - part * visible, visible, following_);
}

void TimeAxis::showEverything() {
    wanted_ = everything;
    place(0.0, possible(everything), true);
}

void TimeAxis::setStart(double seconds) {
    if (!std::isfinite(seconds)) return;
    const double start = std::max(0.0, seconds);
    place(start, visible_, start + visible_ >= contentEnd_ - tolerance);
}

void TimeAxis::reveal(double seconds) {
    assert(std::isfinite(seconds));
    if (seconds >= start() && seconds <= end()) return;
    setStart(seconds - visible_ / 3.0);
}

void TimeAxis::follow() { place(contentEnd_, visible_, true); }

void TimeAxis::stay() { place(start_, visible_, false); }

void TimeAxis::reset() {
    contentEnd_ = expected_ = 0.0;
    place(0.0, possible(wanted_), true);
}

void TimeAxis::place(double start, double visible, bool following) {
    const double last = std::max(0.0, contentEnd_ - visible);
    start = following ? last : std::clamp(start, 0.0, last);
    if (start == start_ && visible == visible_ && following == following_) return;
    start_ = start;
    visible_ = visible;
    following_ = following;
    sendSynchronousChangeMessage();
}

} // namespace earshot::ui
