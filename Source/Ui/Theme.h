// Every colour, size and font of the views, dark and light, in one look-and-feel. Message thread.
#pragma once

#include "Ui/ViewState.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <array>
#include <cstdint>

namespace earshot::ui {

struct Palette {
    juce::Colour background, panel, raised, line, text, secondary, accent, fine, trouble;
    // Probability or level 0 to 255 to colour, quiet to loud: even to the eye and safe for colour-blind
    // users.
    std::array<juce::PixelARGB, 256> ramp;

    juce::Colour at(float value) const; // of the ramp, value 0 to 1
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

class Theme : public juce::LookAndFeel_V4 {
  public:
    explicit Theme(ThemeChoice choice);

    const Palette& palette() const { return palette_; }
    static const Palette& palette(ThemeChoice choice);
    // The palette of the Theme a component is under; the dark one where there is none.
    static const Palette& of(const juce::Component& component);

    // Inter where it is installed, else the system's sans.
    static juce::Font font(float height = 13.0f, bool bold = false);
    juce::Typeface::Ptr getTypefaceForFont(const juce::Font& font) override;

  private:
    Palette palette_;
};

} // namespace earshot::ui
