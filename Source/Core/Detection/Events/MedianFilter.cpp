#include "Core/Detection/Events/MedianFilter.h"

#include <algorithm>
#include <cassert>

namespace earshot::detection {

std::vector<float> medianFilter(std::span<const float> values, int width) {
    assert(width >= 1 && width % 2 == 1);
    std::vector<float> result(values.begin(), values.end());
    const std::size_t count = values.size();
    const auto radius = static_cast<std::size_t>(width / 2);
    if (radius == 0 || count < 3) return result;

    std::vector<float> sorted; // values[begin, end)
    std::size_t begin = 0;
    std::size_t end = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t reach = std::min({radius, i, count - 1 - i});
        for (; end < i + reach + 1; ++end)
            sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), values[end]), values[end]);
        for (; begin < i - reach; ++begin)
            sorted.erase(std::lower_bound(sorted.begin(), sorted.end(), values[begin]));
        result[i] = sorted[reach];
    }
    return result;
}

} // namespace earshot::detection
