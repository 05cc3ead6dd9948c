#include "Core/Detection/Events/MedianFilter.h"

#include "Support/Catch.h"

#include <algorithm>
#include <random>
#include <vector>

using earshot::detection::medianFilter;

TEST_CASE("The median filter takes the middle of a centred window that shrinks at the ends", "[unit]") {
    std::mt19937 random(2);
    for (const int count : {0, 1, 2, 3, 4, 7, 50})
        for (const int width : {1, 3, 5, 9, 101}) {
            std::vector<float> values(static_cast<std::size_t>(count));
            for (float& v : values) v = static_cast<float>(random() % 8); // with repetitions
            const auto filtered = medianFilter(values, width);
            REQUIRE(filtered.size() == values.size());
            for (int i = 0; i < count; ++i) {
                const int reach = std::min({width / 2, i, count - 1 - i});
                std::vector<float> window(values.begin() + i - reach, values.begin() + i + reach + 1);
                std::ranges::sort(window);
                CAPTURE(count, width, i);
                REQUIRE(filtered[static_cast<std::size_t>(i)] == window[static_cast<std::size_t>(reach)]);
            }
        }
}
