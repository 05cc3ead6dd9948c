// The rules of events as plain loops over all columns of a class. EventMachine is compared with them.
#pragma once

#include "Core/Detection/Events/Events.h"

#include <span>
#include <vector>

namespace earshot::test {

// The median of `width` values around each one (odd). At the ends it takes fewer, as many on both sides.
std::vector<float> medianFilter(std::span<const float> values, int width);

// By thresholds, over all columns that the timeline keeps.
detection::EventList referenceEvents(const detection::Timeline& timeline,
                                     const detection::EventSettings& settings);

} // namespace earshot::test
