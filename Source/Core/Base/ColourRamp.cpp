#include "Core/Base/ColourRamp.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot {

namespace {

struct Oklab {
    float lightness, a, b;
};

float toLinear(float value) {
    return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

float fromLinear(float value) {
    value = std::clamp(value, 0.0f, 1.0f);
    return value <= 0.0031308f ? value * 12.92f : 1.055f * std::pow(value, 1.0f / 2.4f) - 0.055f;
}

Oklab toOklab(std::uint32_t rgb) {
    const auto channel = [&](int shift) {
        return toLinear(static_cast<float>(rgb >> shift & 255u) / 255.0f);
    };
    const float r = channel(16), g = channel(8), b = channel(0);
    const float l = std::cbrt(0.4122214708f * r + 0.5363325363f * g + 0.0514459929f * b);
    const float m = std::cbrt(0.2119034982f * r + 0.6806995451f * g + 0.1073969566f * b);
    const float s = std::cbrt(0.0883024619f * r + 0.2817188376f * g + 0.6299787005f * b);
    return {0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
            1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
            0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s};
}

Rgb toRgb(const Oklab& colour) {
    const auto cube = [](float value) { return value * value * value; };
    const float l = cube(colour.lightness + 0.3963377774f * colour.a + 0.2158037573f * colour.b);
    const float m = cube(colour.lightness - 0.1055613458f * colour.a - 0.0638541728f * colour.b);
    const float s = cube(colour.lightness - 0.0894841775f * colour.a - 1.2914855480f * colour.b);
    const auto byte = [](float linear) {
        return static_cast<std::uint8_t>(std::lround(fromLinear(linear) * 255.0f));
    };
    return {byte(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s),
            byte(-1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s),
            byte(-0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s)};
}

} // namespace

ColourRamp makeRamp(std::span<const RampStop> stops) {
    assert(stops.size() >= 2);
    ColourRamp ramp;
    std::size_t next = 1;
    for (std::size_t i = 0; i < ramp.size(); ++i) {
        const float value = static_cast<float>(i) / 255.0f;
        while (next + 1 < stops.size() && value > stops[next].value) ++next;
        const Oklab low = toOklab(stops[next - 1].rgb), high = toOklab(stops[next].rgb);
        const float part = (value - stops[next - 1].value) / (stops[next].value - stops[next - 1].value);
        const auto mix = [&](float a, float b) { return a + part * (b - a); };
        ramp[i] = toRgb({mix(low.lightness, high.lightness), mix(low.a, high.a), mix(low.b, high.b)});
    }
    return ramp;
}

std::span<const RampStop> darkStops() {
    static constexpr RampStop stops[] = {{0.0f, 0x14161a},  {0.12f, 0x1c183a}, {0.30f, 0x542070},
                                         {0.50f, 0xa0306e}, {0.70f, 0xe2564a}, {0.85f, 0xfa9e54},
                                         {1.0f, 0xfdecb4}};
    return stops;
}

std::span<const RampStop> lightStops() {
    static constexpr RampStop stops[] = {{0.0f, 0xf5f6f8},  {0.12f, 0xf7e6cc}, {0.30f, 0xfac288},
                                         {0.50f, 0xee8058}, {0.70f, 0xc83c66}, {0.85f, 0x82247c},
                                         {1.0f, 0x2a1250}};
    return stops;
}

} // namespace earshot
