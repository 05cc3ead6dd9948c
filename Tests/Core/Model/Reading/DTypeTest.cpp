#include "Core/Model/Reading/DType.h"

#include "Support/Catch.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace earshot;
using model::DType;

namespace {

template <typename Stored>
std::vector<float> converted(DType dtype, const std::vector<Stored>& stored) {
    std::vector<float> values(stored.size());
    model::toFloat32(dtype, std::as_bytes(std::span(stored)), values);
    return values;
}

std::vector<std::uint16_t> allPatterns() {
    std::vector<std::uint16_t> patterns(1 << 16);
    for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<std::uint16_t>(i);
    return patterns;
}

// The value of a binary floating-point number from its definition.
double valueOf(unsigned bits, int exponentBits, int fractionBits) {
    const unsigned fraction = bits & ((1u << fractionBits) - 1);
    const int exponent = static_cast<int>(bits >> fractionBits & ((1u << exponentBits) - 1));
    const double sign = bits >> (exponentBits + fractionBits) & 1u ? -1.0 : 1.0;
    const int bias = (1 << (exponentBits - 1)) - 1;
    if (exponent == (1 << exponentBits) - 1)
        return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sign * std::numeric_limits<double>::infinity();
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fractionBits);
    return sign * std::ldexp(fraction + (1u << fractionBits), exponent - bias - fractionBits);
}

void requireExact(const std::vector<float>& values, int exponentBits, int fractionBits) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double expected = valueOf(static_cast<unsigned>(i), exponentBits, fractionBits);
        const bool same = std::isnan(expected)
                              ? std::isnan(values[i])
                              : values[i] == expected && std::signbit(values[i]) == std::signbit(expected);
        if (!same) ++wrong;
    }
    REQUIRE(wrong == 0);
}

} // namespace

TEST_CASE("every float16 converts exactly", "[unit]") {
    requireExact(converted(DType::float16, allPatterns()), 5, 10);
}

TEST_CASE("every bfloat16 converts exactly", "[unit]") {
    requireExact(converted(DType::bfloat16, allPatterns()), 8, 7);
}

TEST_CASE("wider and integer types convert to the nearest float32", "[unit]") {
    const std::vector<double> doubles = {0.1, -1.0 / 3.0, 1e-60, 0x1p-149, 1e38};
    const auto values = converted(DType::float64, doubles);
    for (std::size_t i = 0; i < doubles.size(); ++i) REQUIRE(values[i] == static_cast<float>(doubles[i]));

    REQUIRE(converted<std::int64_t>(DType::int64, {-1, 1ll << 40}) == std::vector<float>{-1.0f, 0x1p40f});
    REQUIRE(converted<std::int32_t>(DType::int32, {-7, 1 << 24}) == std::vector<float>{-7.0f, 0x1p24f});
    REQUIRE(converted<std::int16_t>(DType::int16, {-32768, 5}) == std::vector<float>{-32768.0f, 5.0f});
    REQUIRE(converted<std::int8_t>(DType::int8, {-128, 127}) == std::vector<float>{-128.0f, 127.0f});
    REQUIRE(converted<std::uint8_t>(DType::uint8, {0, 255}) == std::vector<float>{0.0f, 255.0f});
    REQUIRE(converted<std::uint8_t>(DType::boolean, {0, 1, 2}) == std::vector<float>{0.0f, 1.0f, 1.0f});
}

TEST_CASE("sizes that overflow are no sizes", "[unit]") {
    const std::int64_t large = std::int64_t{1} << 62;
    REQUIRE(model::checkedElementCount({}) == 1);
    REQUIRE(model::checkedElementCount({2, 3, 4}) == 24);
    REQUIRE(model::checkedElementCount({5, 0}) == 0);
    REQUIRE(model::checkedElementCount({large, 1}) == large);
    REQUIRE_FALSE(model::checkedElementCount({large, 2}));
    REQUIRE_FALSE(model::checkedElementCount({large, large, large}));
    REQUIRE_FALSE(model::checkedElementCount({2, -1}));
    REQUIRE_FALSE(model::checkedProduct(-1, 0));
}
