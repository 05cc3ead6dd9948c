// The two palettes.
#include "Ui/Theme.h"

#include "Core/Base/ColourRamp.h"

#include <algorithm>
#include <cmath>

namespace earshot::ui {

namespace {

constexpr std::uint32_t opaque = 0xff000000;

std::array<juce::PixelARGB, 256> pixels(const ColourRamp& ramp) {
    std::array<juce::PixelARGB, 256> result;
    std::ranges::transform(ramp, result.begin(), [](const Rgb& colour) {
        return juce::PixelARGB(255, colour.red, colour.green, colour.blue);
    });
    return result;
}

using FamilyColours = std::array<std::uint32_t, detection::soundFamilies>; // 0xrrggbb

// Found by a search for the six whose least difference in Oklab is largest, as people with normal sight,
// protanopia, deuteranopia and tritanopia see them (Machado et al., "A physiologically-based model for
// simulation of color vision deficiency", 2009). ThemeTest measures them.
constexpr FamilyColours darkFamilies{0xe8a220, 0x85fbaf, 0xb65b98, 0x3581fd, 0xdc4311, 0xabb2bb};
constexpr FamilyColours lightFamilies{0x703700, 0x3e9775, 0xa53ac6, 0x18417c, 0xed5011, 0x5a6169};

// end: the colour that the loudest is mixed with.
void setFamilies(Palette& palette, const FamilyColours& colours, juce::Colour end) {
    constexpr float colourAt = 0.75f, endPart = 0.4f;
    const auto rgb = [](juce::Colour colour) { return colour.getARGB() & ~opaque; };
    for (std::size_t i = 0; i < colours.size(); ++i) {
        const juce::Colour colour(opaque | colours[i]);
        const RampStop stops[] = {{0.0f, rgb(palette.background)},
                                  {colourAt, colours[i]},
                                  {1.0f, rgb(colour.interpolatedWith(end, endPart))}};
        palette.families[i] = colour;
        palette.familyRamps[i] = pixels(makeRamp(stops));
    }
}

juce::Colour onRamp(const std::array<juce::PixelARGB, 256>& ramp, float value) {
    return juce::Colour(
        ramp[static_cast<std::size_t>(std::lround(juce::jlimit(0.0f, 1.0f, value) * 255.0f))]);
}

Palette makeDark() {
    Palette palette;
    palette.background = juce::Colour(opaque | dark::background);
    palette.panel = juce::Colour(0xff1b1e24);
    palette.raised = juce::Colour(0xff272c35);
    palette.line = juce::Colour(opaque | dark::line);
    palette.text = juce::Colour(opaque | dark::text);
    palette.secondary = juce::Colour(opaque | dark::secondary);
    palette.accent = juce::Colour(opaque | dark::accent);
    palette.fine = juce::Colour(0xff6cc784);
    palette.trouble = juce::Colour(0xfff07178);
    palette.ramp = pixels(makeRamp(darkStops()));
    setFamilies(palette, darkFamilies, juce::Colours::white);
    return palette;
}

Palette makeLight() {
    Palette palette;
    palette.background = juce::Colour(0xfff5f6f8);
    palette.panel = juce::Colour(0xffffffff);
    palette.raised = juce::Colour(0xffe6e9ee);
    palette.line = juce::Colour(0xffd6dae1);
    palette.text = juce::Colour(0xff1b1e24);
    palette.secondary = juce::Colour(0xff5c6574);
    palette.accent = juce::Colour(0xff9a5700);
    palette.fine = juce::Colour(0xff1f7438);
    palette.trouble = juce::Colour(0xffc22f3a);
    palette.ramp = pixels(makeRamp(lightStops()));
    setFamilies(palette, lightFamilies, juce::Colours::black);
    palette.light = true;
    return palette;
}

} // namespace

juce::Colour Palette::at(float value) const { return onRamp(ramp, value); }

juce::Colour Palette::at(float value, detection::SoundFamily family) const {
    return onRamp(familyRamps[static_cast<std::size_t>(family)], value);
}

const Palette& Theme::palette(ThemeChoice choice) {
    static const Palette dark = makeDark();
    static const Palette light = makeLight();
    return choice == ThemeChoice::light ? light : dark;
}

const Palette& Theme::of(const juce::Component& component) {
    const auto* theme = dynamic_cast<const Theme*>(&component.getLookAndFeel());
    return theme != nullptr ? theme->palette() : palette(ThemeChoice::dark);
}

} // namespace earshot::ui
