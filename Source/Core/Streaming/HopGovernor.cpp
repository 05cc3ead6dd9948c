#include "Core/Streaming/HopGovernor.h"

#include <algorithm>

namespace earshot::streaming {

namespace {

// A load is the duration of a pass divided by the hop. The limits differ so that the hop does not oscillate.
constexpr double tooMuchLoad = 0.95;   // above it, the hop is lengthened
constexpr double chosenLoad = 0.85;    // a lengthened hop has at most this load
constexpr double roomyLoad = 0.7;      // the hop is shortened if the shorter one has at most this load
constexpr double catchUpSeconds = 2.0; // late audio must be caught up with in this time
constexpr double firstRoom = 3.0;      // seconds of audio with room before the hop is shortened
constexpr int maxDoublings = 7;        // of that time, one for each attempt that failed

// An automatic hop is shortened if the shorter one has at most this share of the load that lengthens it.
constexpr double automaticRoom = 0.8;

} // namespace

void HopGovernor::set(const Limits& limits) {
    limits_ = limits;
    hop_ = limits.wanted;
    roomSeconds_ = 0.0;
    calmSeconds_ = skipMemory;
    attempts_ = 0;
    settling_ = 0;
}

void HopGovernor::passed(double seconds) {
    if (settling_ > 0)
        --settling_;
    else
        costs_[passes_++ % costs_.size()] = seconds;
}

double HopGovernor::cost() const {
    if (passes_ < 2) return 0.0; // the first pass warms up
    if (passes_ == 2) return std::min(costs_[0], costs_[1]);
    auto sorted = costs_;
    std::ranges::sort(sorted);
    return sorted[1];
}

bool HopGovernor::tooSlow() const { return load(limits_.wanted) > roomyLoad; }

bool HopGovernor::fallsBehind(int hop, double lateSeconds, double maxLoad) const {
    const double expected = load(hop);
    return expected > maxLoad || lateSeconds * expected > catchUpSeconds * (1.0 - expected);
}

bool HopGovernor::mustSkip(double lateSeconds) const {
    return atMaxHop() && lateSeconds >= hop_ * limits_.secondsPerToken &&
           fallsBehind(hop_, lateSeconds, tooMuchLoad);
}

bool HopGovernor::tooShort(double lateSeconds) const {
    if (limits_.automatic && load(hop_) > automaticLoad) return true;
    return lateSeconds >= hop_ * limits_.secondsPerToken && fallsBehind(hop_, lateSeconds, tooMuchLoad);
}

int HopGovernor::shorter() const {
    return limits_.automatic ? std::max(hop_ / 2, 1) : std::max(hop_ / 2, limits_.wanted);
}

double HopGovernor::roomNeeded() const {
    return firstRoom * static_cast<double>(1 << std::min(attempts_, maxDoublings));
}

void HopGovernor::decide(double lateSeconds) {
    const double hopSeconds = hop_ * limits_.secondsPerToken;
    const double chosen = limits_.automatic ? automaticLoad : chosenLoad;
    calmSeconds_ += hopSeconds;
    if (tooShort(lateSeconds)) {
        roomSeconds_ = 0.0;
        if (limits_.automatic && !atMaxHop()) ++attempts_;
        while (!atMaxHop() && fallsBehind(hop_, lateSeconds, chosen))
            hop_ = std::min(2 * hop_, limits_.longest);
        return;
    }
    const double roomy = limits_.automatic ? automaticRoom * automaticLoad : roomyLoad;
    const bool measured = !limits_.automatic || passes_ >= costs_.size();
    const bool room = measured && shorter() < hop_ && lateSeconds < hopSeconds && load(shorter()) <= roomy;
    roomSeconds_ = room ? roomSeconds_ + hopSeconds : 0.0;
    if (roomSeconds_ < roomNeeded()) return;
    hop_ = shorter();
    roomSeconds_ = 0.0;
    settling_ = settlingPasses;
}

} // namespace earshot::streaming
