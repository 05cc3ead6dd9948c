#include "Core/Base/ColourRamp.h"

#include "Support/Catch.h"

namespace {

using namespace earshot;

double luminance(const Rgb& colour) {
    return 0.2126 * colour.red + 0.7152 * colour.green + 0.0722 * colour.blue;
}

Rgb toColour(std::uint32_t rgb) {
    return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8),
            static_cast<std::uint8_t>(rgb)};
}

} // namespace

TEST_CASE("a ramp begins and ends with its outer stops", "[unit]") {
    for (const auto stops : {darkStops(), lightStops()}) {
        const auto ramp = makeRamp(stops);
        REQUIRE(ramp.front() == toColour(stops.front().rgb));
        REQUIRE(ramp.back() == toColour(stops.back().rgb));
    }
}

TEST_CASE("louder is brighter on the dark ramp and darker on the light one", "[unit]") {
    const auto dark = makeRamp(darkStops()), light = makeRamp(lightStops());
    for (std::size_t i = 8; i < dark.size(); i += 4) {
        INFO(i);
        REQUIRE(luminance(dark[i]) > luminance(dark[i - 8]));
        REQUIRE(luminance(light[i]) < luminance(light[i - 8]));
    }
}

TEST_CASE("a ramp between two stops passes through each colour between them once", "[unit]") {
    const RampStop stops[] = {{0.0f, 0x000000}, {1.0f, 0xffffff}};
    const auto ramp = makeRamp(stops);
    for (std::size_t i = 1; i < ramp.size(); ++i) {
        REQUIRE(ramp[i].red == ramp[i].green);
        REQUIRE(ramp[i].red >= ramp[i - 1].red);
    }
}
