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
    palette.light = true;
    return palette;
}

} // namespace

juce::Colour Palette::at(float value) const {
    return juce::Colour(
        ramp[static_cast<std::size_t>(std::lround(juce::jlimit(0.0f, 1.0f, value) * 255.0f))]);
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
