// Every colour, size and font of the views, dark and light, in one look-and-feel. Message thread.
#pragma once

#include "Core/Detection/Events/SoundGroups.h"
#include "Ui/ViewState.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <array>
#include <cstdint>
#include <memory>

namespace earshot::ui {

struct Palette {
    juce::Colour background, panel, raised, line, text, secondary, accent, fine, trouble;
    // The colour of a probability or level from 0 to 255. The ramp is even to the eye and safe for
    // colour-blind users.
    std::array<juce::PixelARGB, 256> ramp;
    // By detection::SoundFamily: a colour for each family of sounds, and the ramp of its cells. Colour-blind
    // users can tell them apart, too; on both ramps a higher probability differs more from the background.
    std::array<juce::Colour, detection::soundFamilies> families;
    std::array<std::array<juce::PixelARGB, 256>, detection::soundFamilies> familyRamps;
    bool light = false;

    juce::Colour at(float value) const; // of the ramp, value 0 to 1
    juce::Colour at(float value, detection::SoundFamily family) const;
    juce::Colour of(detection::SoundFamily family) const {
        return families[static_cast<std::size_t>(family)];
    }
};

// Sizes in logical pixels.
namespace size {
inline constexpr int margin = 16;
inline constexpr int gap = 8;
inline constexpr int topBar = 48;
inline constexpr int ruler = 26;
inline constexpr int laneNames = 152; // the column of names left of the lanes
inline constexpr int control = 26;    // a button's height
inline constexpr float corner = 6.0f;
} // namespace size

// The part of its colour that a control keeps while it cannot be used. Its text can still be read.
inline constexpr float disabledPart = 0.55f;

class Theme : public juce::LookAndFeel_V4 {
  public:
    explicit Theme(ThemeChoice choice);

    const Palette& palette() const { return palette_; }
    static const Palette& palette(ThemeChoice choice);
    // The palette of the component's Theme; the dark palette if it has none.
    static const Palette& of(const juce::Component& component);

    // Inter if it is installed, else the system's sans serif. height: the size of the type in logical pixels,
    // as designers count it (an em, CSS's px).
    static juce::Font font(float height = 13.0f, bool bold = false);
    juce::Typeface::Ptr getTypefaceForFont(const juce::Font& font) override;

    static float textWidth(const juce::Font& font, const juce::String& text);
    // Draws one line in the current font and colour. All digits are equally wide, so that a changing number
    // does not move.
    static void drawNumber(juce::Graphics& graphics, const juce::String& text, juce::Rectangle<float> area,
                           juce::Justification justification);

    // Outlines what has the keyboard.
    static void drawFocus(juce::Graphics& graphics, const juce::Component& component,
                          juce::Rectangle<int> area);
    // Whether a button has the keyboard and should say so. A clicked one has it too, but only users of the
    // keyboard need to see it.
    static bool showsFocus(const juce::Button& button);

    // The look of JUCE's own components. Toggle buttons and radio groups of text buttons are drawn as
    // segments.
    void drawButtonBackground(juce::Graphics& graphics, juce::Button& button,
                              const juce::Colour& backgroundColour, bool highlighted, bool down) override;
    void drawButtonText(juce::Graphics& graphics, juce::TextButton& button, bool highlighted,
                        bool down) override;
    juce::Font getTextButtonFont(juce::TextButton& button, int buttonHeight) override;
    void drawToggleButton(juce::Graphics& graphics, juce::ToggleButton& button, bool highlighted,
                          bool down) override;
    void changeToggleButtonWidthToFitText(juce::ToggleButton& button) override;
    void drawLinearSlider(juce::Graphics& graphics, int x, int y, int width, int height, float position,
                          float lowest, float highest, juce::Slider::SliderStyle style,
                          juce::Slider& slider) override;
    int getSliderThumbRadius(juce::Slider& slider) override;
    void drawComboBox(juce::Graphics& graphics, int width, int height, bool down, int buttonX, int buttonY,
                      int buttonWidth, int buttonHeight, juce::ComboBox& box) override;
    juce::Font getComboBoxFont(juce::ComboBox& box) override;
    void positionComboBoxText(juce::ComboBox& box, juce::Label& label) override;
    void fillTextEditorBackground(juce::Graphics& graphics, int width, int height,
                                  juce::TextEditor& editor) override;
    void drawTextEditorOutline(juce::Graphics& graphics, int width, int height,
                               juce::TextEditor& editor) override;
    void drawPopupMenuBackground(juce::Graphics& graphics, int width, int height) override;
    void drawPopupMenuItem(juce::Graphics& graphics, const juce::Rectangle<int>& area, bool separator,
                           bool active, bool highlighted, bool ticked, bool hasSubMenu,
                           const juce::String& text, const juce::String& shortcut, const juce::Drawable* icon,
                           const juce::Colour* colour) override;
    void getIdealPopupMenuItemSize(const juce::String& text, bool separator, int standardHeight, int& width,
                                   int& height) override;
    juce::Font getPopupMenuFont() override;
    int getDefaultScrollbarWidth() override;
    void drawScrollbar(juce::Graphics& graphics, juce::ScrollBar& bar, int x, int y, int width, int height,
                       bool vertical, int thumbStart, int thumbSize, bool over, bool down) override;
    juce::Rectangle<int> getTooltipBounds(const juce::String& text, juce::Point<int> position,
                                          juce::Rectangle<int> parent) override;
    void drawTooltip(juce::Graphics& graphics, const juce::String& text, int width, int height) override;
    void drawCallOutBoxBackground(juce::CallOutBox& box, juce::Graphics& graphics, const juce::Path& path,
                                  juce::Image& cache) override;
    std::unique_ptr<juce::FocusOutline> createFocusOutlineForComponent(juce::Component& component) override;
    juce::Font getAlertWindowTitleFont() override { return font(15.0f, true); }
    juce::Font getAlertWindowMessageFont() override { return font(13.0f); }
    juce::Font getAlertWindowFont() override { return font(13.0f); }

  private:
    void setColours();

    Palette palette_;
};

} // namespace earshot::ui
