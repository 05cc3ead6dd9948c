#include "Core/Base/Float16.h"

#include "Support/Catch.h"

#include <cmath>
#include <limits>

using namespace earshot;

TEST_CASE("every float16 becomes a float and itself again", "[unit]") {
    for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float value = fromFloat16(half);
        if (std::isnan(value)) {
            CHECK(std::isnan(fromFloat16(toFloat16(value))));
        } else if (toFloat16(value) != half) {
            FAIL("float16 " << half << " became " << toFloat16(value));
        }
    }
}

TEST_CASE("floats between two float16 go to the nearer, ties to the even one", "[unit]") {
    for (std::uint16_t half = 0; half < 0x7bff; ++half) {
        const float low = fromFloat16(half);
        const float high = fromFloat16(static_cast<std::uint16_t>(half + 1));
        const float middle = 0.5f * (low + high);
        const auto even = static_cast<std::uint16_t>(half + (half & 1));
        if (toFloat16(std::nextafter(middle, low)) != half || toFloat16(middle) != even ||
            toFloat16(std::nextafter(middle, high)) != half + 1)
            FAIL("between float16 " << half << " and the next");
    }
    CHECK(toFloat16(65520.0f) == 0x7c00);
    CHECK(toFloat16(-std::numeric_limits<float>::infinity()) == 0xfc00);
}
