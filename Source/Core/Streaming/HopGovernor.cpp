#include "Core/Streaming/HopGovernor.h"

#include <algorithm>

namespace earshot::streaming {

namespace {

// A load is the duration of a pass divided by the hop. The limits differ so that the hop does not oscillate.
constexpr double tooMuchLoad = 0.95;   // above it, the hop is lengthened
constexpr double chosenLoad = 0.85;    // a lengthened hop has at most this load
constexpr double roomyLoad = 0.7;      // the hop is shortened if the shorter one has at most this load
constexpr double catchUpSeconds = 2.0; // late audio must be caught up with in this time
constexpr double roomNeeded = 3.0;     // seconds of audio with room before the hop is shortened

} // namespace

void HopGovernor::set(const Limits& limits) {
    limits_ = limits;
    hop_ = limits.wanted;
    roomSeconds_ = 0.0;
    calmSeconds_ = skipMemory;
}

void HopGovernor::passed(double seconds) { costs_[passes_++ % costs_.size()] = seconds; }

double HopGovernor::cost() const {
    if (passes_ < 2) return 0.0; // the first pass warms up
    if (passes_ == 2) return std::min(costs_[0], costs_[1]);
    auto sorted = costs_;
    std::ranges::sort(sorted);
    return sorted[1];
}

bool HopGovernor::tooSlow() const { return load(limits_.wanted) > roomyLoad; }

bool HopGovernor::fallsBehind(int hop, double lateSeconds, double highestLoad) const {
    const double expected = load(hop);
    return expected > highestLoad || lateSeconds * expected > catchUpSeconds * (1.0 - expected);
}

bool HopGovernor::mustSkip(double lateSeconds) const {
    return atLongest() && lateSeconds >= hop_ * limits_.secondsPerToken &&
           fallsBehind(hop_, lateSeconds, tooMuchLoad);
}

void HopGovernor::decide(double lateSeconds) {
    const double hopSeconds = hop_ * limits_.secondsPerToken;
    calmSeconds_ += hopSeconds;
    if (lateSeconds >= hopSeconds && fallsBehind(hop_, lateSeconds, tooMuchLoad)) {
        roomSeconds_ = 0.0;
        while (!atLongest() && fallsBehind(hop_, lateSeconds, chosenLoad))
            hop_ = std::min(2 * hop_, limits_.longest);
        return;
    }
    const int shorter = std::max(hop_ / 2, limits_.wanted);
    const bool room = lengthened() && lateSeconds < hopSeconds && load(shorter) <= roomyLoad;
    roomSeconds_ = room ? roomSeconds_ + hopSeconds : 0.0;
    if (roomSeconds_ < roomNeeded) return;
    hop_ = shorter;
    roomSeconds_ = 0.0;
}

} // namespace earshot::streaming
