// Running median: removes peaks and gaps shorter than half its width and keeps edges where they are.
// Pure: any thread.
#pragma once

#include <span>
#include <vector>

namespace earshot::detection {

// width: odd, 1 is no filter. Near both ends the window shrinks to what is there on both sides alike, so that
// it stays centred and the first and last value are kept.
std::vector<float> medianFilter(std::span<const float> values, int width);

} // namespace earshot::detection
