#include "Ui/Theme.h"

#include "Support/Catch.h"
#include "TextContrast.h"

#include <cmath>

using namespace earshot::ui;
using earshot::test::contrast;
using earshot::test::luminance;

namespace {

// CIE L*, 0 to 100.
double lightness(juce::Colour colour) { return 116.0 * std::cbrt(luminance(colour)) - 16.0; }

const ThemeChoice both[] = {ThemeChoice::dark, ThemeChoice::light};

} // namespace

TEST_CASE("text can be read on every surface, dark and light", "[unit][no-asan]") {
    for (const auto choice : both) {
        const Palette& p = Theme::palette(choice);
        for (const auto surface : {p.background, p.panel, p.raised}) {
            REQUIRE(contrast(p.text, surface) >= 7.0);
            REQUIRE(contrast(p.secondary, surface) >= 4.5);
            REQUIRE(contrast(p.accent, surface) >= 4.5);
            REQUIRE(contrast(p.fine, surface) >= 4.5);
            REQUIRE(contrast(p.trouble, surface) >= 4.5);
        }
    }
}

TEST_CASE("the ramp's lightness runs one way and evenly, so that hue is not needed to read it", "[unit]") {
    for (const auto choice : both) {
        const Palette& p = Theme::palette(choice);
        const double sign = choice == ThemeChoice::dark ? 1.0 : -1.0;
        REQUIRE(p.at(0.0f) == p.background);
        REQUIRE(std::abs(lightness(p.at(1.0f)) - lightness(p.at(0.0f))) > 70.0);
        for (float value = 0.0f; value < 0.95f; value += 0.05f) {
            const double step = sign * (lightness(p.at(value + 0.05f)) - lightness(p.at(value)));
            INFO("at " << value);
            REQUIRE(step > 0.5);
            REQUIRE(step < 12.0);
        }
    }
}

TEST_CASE("values beyond the ramp are its ends", "[unit]") {
    const Palette& p = Theme::palette(ThemeChoice::dark);
    REQUIRE(p.at(-1.0f) == p.at(0.0f));
    REQUIRE(p.at(2.0f) == p.at(1.0f));
    const auto middle = p.at(0.5f); // 128 of 255 is a little past the stop
    REQUIRE(std::abs(middle.getRed() - 0xa0) <= 2);
    REQUIRE(std::abs(middle.getGreen() - 0x30) <= 2);
    REQUIRE(std::abs(middle.getBlue() - 0x6e) <= 2);
}

TEST_CASE("a component finds the palette of its theme", "[unit]") {
    Theme light(ThemeChoice::light);
    juce::Component parent, child;
    parent.addChildComponent(child);
    REQUIRE(Theme::of(child).background == Theme::palette(ThemeChoice::dark).background);
    parent.setLookAndFeel(&light);
    REQUIRE(Theme::of(child).background == Theme::palette(ThemeChoice::light).background);
    parent.setLookAndFeel(nullptr);
}

TEST_CASE("a number keeps its place while its digits change", "[unit]") {
    const auto draw = [](const char* text) {
        juce::Image image(juce::Image::ARGB, 120, 20, true);
        juce::Graphics graphics(image);
        graphics.setColour(juce::Colours::white);
        graphics.setFont(Theme::font(13.0f));
        Theme::drawNumber(graphics, text, {0.0f, 0.0f, 120.0f, 20.0f}, juce::Justification::centredLeft);
        return image;
    };
    // The 8 at the end is drawn alike behind narrow and wide digits.
    const auto a = draw("11:11.8"), b = draw("00:00.8");
    int right = 119;
    const auto empty = [&](const juce::Image& image, int x) {
        for (int y = 0; y < 20; ++y)
            if (image.getPixelAt(x, y).getAlpha() > 0) return false;
        return true;
    };
    while (right > 0 && empty(a, right)) --right;
    REQUIRE(right > 20);
    for (int x = right - 4; x <= right + 1; ++x)
        for (int y = 0; y < 20; ++y) REQUIRE(a.getPixelAt(x, y) == b.getPixelAt(x, y));
}

TEST_CASE("standard components draw in both themes", "[unit]") {
    for (const auto choice : both) {
        Theme theme(choice);
        juce::Component parent;
        parent.setLookAndFeel(&theme);
        parent.setSize(300, 260);
        juce::TextButton button("Freeze"), segment("Auto");
        segment.setRadioGroupId(7);
        segment.setToggleState(true, juce::dontSendNotification);
        juce::ToggleButton toggle("MIDI");
        toggle.setToggleState(true, juce::dontSendNotification);
        juce::Slider slider(juce::Slider::LinearHorizontal, juce::Slider::NoTextBox);
        juce::ComboBox box;
        box.addItem("earshot-default", 1);
        box.setSelectedId(1);
        juce::TextEditor editor;
        editor.setText("Dog");
        int y = 4;
        for (auto* child :
             std::initializer_list<juce::Component*>{&button, &segment, &toggle, &slider, &box, &editor}) {
            parent.addAndMakeVisible(child);
            child->setBounds(4, y, 200, size::control);
            y += 40;
        }
        const auto picture = parent.createComponentSnapshot(parent.getLocalBounds());
        const auto has = [&](juce::Rectangle<int> area, juce::Colour colour) {
            for (int x = area.getX(); x < area.getRight(); ++x)
                for (int row = area.getY(); row < area.getBottom(); ++row)
                    if (picture.getPixelAt(x, row) == colour) return true;
            return false;
        };
        const Palette& p = theme.palette();
        REQUIRE(has(segment.getBounds(), p.raised));
        REQUIRE(!has(button.getBounds(), p.raised));
        REQUIRE(has(toggle.getBounds(), p.accent));
        REQUIRE(has(slider.getBounds(), p.line));
        REQUIRE(has(box.getBounds(), p.line));
        parent.setLookAndFeel(nullptr);
    }
}
