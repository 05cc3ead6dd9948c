#include "Ui/Theme.h"

#include "Support/Catch.h"
#include "TextContrast.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace earshot::ui;
using earshot::test::contrast;
using earshot::test::luminance;

namespace {

// CIE L*, 0 to 100.
double lightness(juce::Colour colour) { return 116.0 * std::cbrt(luminance(colour)) - 16.0; }

using Triple = std::array<double, 3>;

// How red, green and blue of the screen (linear) are seen: Machado, Oliveira and Fernandes, "A
// physiologically-based model for simulation of color vision deficiency" (2009), severity 1.
struct Vision {
    const char* name;
    std::array<Triple, 3> matrix;
};
constexpr Vision visions[] = {
    {"normal", {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};

Triple times(const std::array<Triple, 3>& matrix, const Triple& vector) {
    Triple result{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) result[i] += matrix[i][j] * vector[j];
    return result;
}

Triple seenWith(const Vision& vision, juce::Colour colour) {
    const auto linear = [](float value) {
        const auto v = static_cast<double>(value);
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    auto seen = times(vision.matrix, {linear(colour.getFloatRed()), linear(colour.getFloatGreen()),
                                      linear(colour.getFloatBlue())});
    for (double& part : seen) part = std::clamp(part, 0.0, 1.0);
    return seen;
}

// Björn Ottosson, "A perceptual color space for image processing" (2020).
Triple oklab(const Triple& linear) {
    auto cones = times({{{0.4122214708, 0.5363325363, 0.0514459929},
                         {0.2119034982, 0.6806995451, 0.1073969566},
                         {0.0883024619, 0.2817188376, 0.6299787005}}},
                       linear);
    for (double& cone : cones) cone = std::cbrt(cone);
    return times({{{0.2104542553, 0.7936177850, -0.0040720468},
                   {1.9779984951, -2.4285922050, 0.4505937099},
                   {0.0259040371, 0.7827717662, -0.8086757660}}},
                 cones);
}

double distance(const Triple& a, const Triple& b) {
    return 100.0 * std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

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

TEST_CASE("people with each kind of colour vision can tell the families of sounds apart", "[unit]") {
    constexpr double least = 10.0; // hundredths of Oklab; about 2 can just be seen side by side
    for (const auto choice : both) {
        const Palette& p = Theme::palette(choice);
        for (const auto& vision : visions)
            for (std::size_t i = 0; i < p.families.size(); ++i) {
                INFO(vision.name << ", family " << i << (p.light ? ", light" : ", dark"));
                const auto seen = oklab(seenWith(vision, p.families[i]));
                for (std::size_t j = 0; j < i; ++j)
                    REQUIRE(distance(seen, oklab(seenWith(vision, p.families[j]))) >= least);
                REQUIRE(distance(seen, oklab(seenWith(vision, p.background))) >= least);
                REQUIRE(contrast(p.families[i], p.background) >= 3.0);
            }
    }
}

TEST_CASE("in each family a higher probability differs more from the background", "[unit]") {
    for (const auto choice : both) {
        const Palette& p = Theme::palette(choice);
        const double sign = choice == ThemeChoice::dark ? 1.0 : -1.0;
        for (std::size_t i = 0; i < p.families.size(); ++i) {
            const auto family = static_cast<earshot::detection::SoundFamily>(i);
            REQUIRE(p.at(0.0f, family) == p.background);
            for (float value = 0.0f; value < 0.95f; value += 0.05f) {
                INFO("family " << i << " at " << value);
                REQUIRE(sign * (lightness(p.at(value + 0.05f, family)) - lightness(p.at(value, family))) >
                        0.3);
            }
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
