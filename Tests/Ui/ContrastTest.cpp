// Text can be read on what is behind it.
#include "EveryState.h"
#include "Support/Catch.h"
#include "TextContrast.h"
#include "Ui/Panels/CutPanel.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/LaneMenu.h"
#include "ViewWalk.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

using namespace earshot;

namespace {

constexpr double readable = 4.5;   // of WCAG 2.1, level AA
constexpr double ofUnusable = 3.0; // of controls that cannot be used, for which WCAG asks nothing

// Whether something there cannot be used. Glyphs do not say whose they are.
bool isDisabledAt(const juce::Component& parent, juce::Point<int> at) {
    return std::ranges::any_of(parent.getChildren(), [&](const juce::Component* child) {
        return child->isVisible() && child->getBounds().contains(at) &&
               (!child->isEnabled() || isDisabledAt(*child, at - child->getPosition()));
    });
}

// What is seen at a point, for people who read a failure.
juce::String titleAt(juce::Component& parent, juce::Point<int> at) {
    juce::String title = parent.getTitle();
    for (auto* child : parent.getChildren())
        if (child->isVisible() && child->getBounds().contains(at))
            if (const auto inner = titleAt(*child, at - child->getPosition()); inner.isNotEmpty())
                title = inner;
    return title;
}

void requireReadable(juce::Component& view) {
    const auto glyphs = test::glyphsOf(view);
    juce::StringArray faint;
    for (const auto& glyph : glyphs) {
        if (glyph.contrast >= readable) continue;
        if (glyph.contrast >= ofUnusable && isDisabledAt(view, glyph.at)) continue;
        faint.addIfNotAlreadyThere(titleAt(view, glyph.at) + " at " + glyph.at.toString() + ": " +
                                   juce::String(glyph.contrast, 2));
    }
    INFO(faint.joinIntoString("\n").toStdString());
    REQUIRE(faint.isEmpty());
    REQUIRE(glyphs.size() > 10);
}

// As CallOutBox shows a panel.
struct Raised : juce::Component {
    Raised(const ui::Theme& theme, juce::Component& panel)
        : colour(theme.palette().raised) {
        addAndMakeVisible(panel);
        setSize(panel.getWidth(), panel.getHeight());
    }
    void paint(juce::Graphics& graphics) override { graphics.fillAll(colour); }
    juce::Colour colour;
};

// As the theme draws a menu, whose entries can be chosen if it is enabled, and a tooltip.
struct Floating : juce::Component {
    Floating(ui::Theme& itsTheme, bool enabled)
        : theme(itsTheme) {
        setSize(300, 150);
        setEnabled(enabled);
    }
    void paint(juce::Graphics& graphics) override {
        theme.drawPopupMenuBackground(graphics, 300, 90);
        for (const bool highlighted : {true, false})
            theme.drawPopupMenuItem(graphics, {0, highlighted ? 0 : 26, 300, 26}, false, isEnabled(),
                                    highlighted, true, true, "Show all sounds", "Shift + H", nullptr,
                                    nullptr);
        theme.drawPopupMenuSectionHeader(graphics, {0, 52, 300, 26}, "Export the events");
        juce::Graphics::ScopedSaveState state(graphics);
        graphics.setOrigin(0, 100);
        theme.drawTooltip(graphics, "Order the list by peak", 300, 30);
    }
    ui::Theme& theme;
};

} // namespace

TEST_CASE("a glyph's contrast is that of its colour with what is behind it", "[unit]") {
    REQUIRE(test::contrast(juce::Colours::white, juce::Colours::black) == Approx(21.0));
    REQUIRE(test::contrast(juce::Colour(0xff777777), juce::Colours::white) == Approx(4.48).margin(0.01));
    struct Words : juce::Component {
        void paint(juce::Graphics& graphics) override {
            graphics.fillAll(juce::Colours::white);
            graphics.setColour(juce::Colours::black);
            graphics.fillRect(0, 40, 200, 40);
            graphics.setFont(ui::Theme::font(13.0f));
            graphics.setColour(juce::Colour(0xff777777));
            graphics.drawText("nnn", 10, 0, 100, 40, juce::Justification::centredLeft);
            graphics.setColour(juce::Colours::white.withAlpha(0.5f));
            graphics.drawText("nnnn", 10, 40, 100, 40, juce::Justification::centredLeft);
        }
    } words;
    words.setSize(200, 80);
    const auto glyphs = test::glyphsOf(words);
    REQUIRE(glyphs.size() == 7);
    const auto grey = test::contrast(juce::Colour(0xff808080), juce::Colours::black);
    for (const auto& glyph : glyphs)
        REQUIRE(glyph.contrast == Approx(glyph.at.y < 40 ? 4.48 : grey).margin(0.1));
}

TEST_CASE("text can be read in every state of the window, dark and light", "[unit][no-asan]") {
    const auto index = GENERATE(range(0, static_cast<int>(test::everyState.size())));
    const auto theme = GENERATE(ui::ThemeChoice::dark, ui::ThemeChoice::light);
    const auto [width, height] = GENERATE(std::pair(640, 360), std::pair(1200, 2600));
    const auto state = test::everyState[static_cast<std::size_t>(index)];
    CAPTURE(std::string(state), theme == ui::ThemeChoice::dark, height);
    test::StateScene scene(state, theme, width, height);
    for (const auto button :
         {juce::Button::buttonNormal, juce::Button::buttonOver, juce::Button::buttonDown}) {
        test::walk(*scene.view, [&](juce::Component& component) {
            if (auto* known = dynamic_cast<juce::Button*>(&component); known != nullptr && known->isEnabled())
                known->setState(button);
        });
        CAPTURE(static_cast<int>(button));
        requireReadable(*scene.view);
    }
}

TEST_CASE("text can be read in boxes, menus and tooltips, dark and light", "[unit][no-asan]") {
    const auto choice = GENERATE(ui::ThemeChoice::dark, ui::ThemeChoice::light);
    ui::Theme theme(choice);
    test::FakeController controller({"Dog", "Rain"});
    controller.words().now.possible = true;
    REQUIRE(controller.words().add("a dog barks").isEmpty());
    ui::RenamePanel rename(controller, controller.words().now.words[0]);
    ui::ThresholdPanel threshold(controller.view(), "Dog", 0.4f);
    ui::ClipRequest clips;
    clips.folder = juce::File("/a/dawn clips");
    ui::CutPanel cut(clips);
    cut.onCut = [](const auto&) { return juce::String("Clips are being cut: wait until that is done"); };
    cut.cut.onClick();
    Floating usable(theme, true), unusable(theme, false);
    for (juce::Component* panel :
         {static_cast<juce::Component*>(&rename), static_cast<juce::Component*>(&threshold),
          static_cast<juce::Component*>(&cut), static_cast<juce::Component*>(&usable),
          static_cast<juce::Component*>(&unusable)}) {
        Raised box(theme, *panel);
        box.setLookAndFeel(&theme);
        if (panel == &rename) {
            rename.field.setText("Dog", false);
            rename.field.keyPressed(juce::KeyPress(juce::KeyPress::returnKey));
            REQUIRE(rename.refusal.text().isNotEmpty());
            box.setSize(panel->getWidth(), panel->getHeight());
        }
        panel->resized();
        requireReadable(box);
        box.setLookAndFeel(nullptr);
    }
}
