// Maps a level to a colour, evenly to the eye. Colours between stops are mixed in Oklab, where equal steps
// look equal (Björn Ottosson, "A perceptual color space for image processing", 2020). Pure functions: any
// thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace earshot {

struct Rgb {
    std::uint8_t red = 0, green = 0, blue = 0;

    bool operator==(const Rgb&) const = default;
};

struct RampStop {
    float value;       // 0 to 1, rising; the first stop is 0, the last 1
    std::uint32_t rgb; // 0xrrggbb
};

using ColourRamp = std::array<Rgb, 256>; // quiet to loud

// Needs at least two stops.
ColourRamp makeRamp(std::span<const RampStop> stops);

// The dark theme's colours, 0xrrggbb.
namespace dark {
inline constexpr std::uint32_t background = 0x14161a, line = 0x2a2f38, text = 0xe8eaed, secondary = 0x8b93a1,
                               accent = 0xffb454;
}

// Both themes of Earshot. They are safe for colour-blind users, and a quiet level has the theme's background.
std::span<const RampStop> darkStops();
std::span<const RampStop> lightStops();

} // namespace earshot
