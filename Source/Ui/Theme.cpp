#include "Ui/Theme.h"

#include <utility>

namespace earshot::ui {

namespace {

constexpr float hairline = 1.0f;

// "Inter" if it is installed, else the system's sans serif. Listing the fonts is slow, so it happens once.
const juce::String& familyName() {
    static const juce::String name = juce::Font::findAllTypefaceNames().contains("Inter")
                                         ? juce::String("Inter")
                                         : juce::Font::getDefaultSansSerifFontName();
    return name;
}

// The weight of emphasised text: semi-bold if the family has it.
const juce::String& boldStyle() {
    static const juce::String style = [] {
        const auto styles = juce::Font::findAllTypefaceStyles(familyName());
        for (const char* wanted : {"SemiBold", "Semi Bold", "Bold"})
            if (styles.contains(wanted)) return juce::String(wanted);
        return juce::String("Bold");
    }();
    return style;
}

bool isSegment(const juce::Button& button) {
    return button.getClickingTogglesState() || button.getRadioGroupId() != 0;
}

juce::Path roundedWithConnections(juce::Rectangle<float> area, const juce::Button& button) {
    const bool left = button.isConnectedOnLeft(), right = button.isConnectedOnRight();
    const bool top = button.isConnectedOnTop(), bottom = button.isConnectedOnBottom();
    juce::Path path;
    path.addRoundedRectangle(area.getX(), area.getY(), area.getWidth(), area.getHeight(), size::corner,
                             size::corner, !(left || top), !(right || top), !(left || bottom),
                             !(right || bottom));
    return path;
}

void drawChevron(juce::Graphics& graphics, juce::Point<float> centre) {
    juce::Path chevron;
    chevron.addTriangle(centre.translated(-3.5f, -2.0f), centre.translated(3.5f, -2.0f),
                        centre.translated(0.0f, 3.0f));
    graphics.fillPath(chevron);
}

} // namespace

Theme::Theme(ThemeChoice choice)
    : palette_(palette(choice)) {
    setColours();
}

void Theme::setColours() {
    const auto& p = palette_;
    const juce::Colour clear = juce::Colours::transparentBlack;
    const std::pair<int, juce::Colour> defaults[] = {
        {juce::ResizableWindow::backgroundColourId, p.background},
        {juce::DocumentWindow::textColourId, p.text},
        {juce::TextButton::buttonColourId, p.background},
        {juce::TextButton::buttonOnColourId, p.raised},
        {juce::TextButton::textColourOffId, p.text},
        {juce::TextButton::textColourOnId, p.text},
        {juce::ToggleButton::textColourId, p.text},
        {juce::ToggleButton::tickColourId, p.accent},
        {juce::ToggleButton::tickDisabledColourId, p.line},
        {juce::Slider::backgroundColourId, p.line},
        {juce::Slider::trackColourId, p.accent},
        {juce::Slider::thumbColourId, p.light ? juce::Colours::white : p.text},
        {juce::Slider::textBoxTextColourId, p.text},
        {juce::Slider::textBoxBackgroundColourId, clear},
        {juce::Slider::textBoxOutlineColourId, clear},
        {juce::Slider::textBoxHighlightColourId, p.accent.withAlpha(0.35f)},
        {juce::ComboBox::backgroundColourId, p.background},
        {juce::ComboBox::outlineColourId, p.line},
        {juce::ComboBox::textColourId, p.text},
        {juce::ComboBox::arrowColourId, p.secondary},
        {juce::ComboBox::buttonColourId, p.background},
        {juce::ComboBox::focusedOutlineColourId, p.accent},
        {juce::Label::textColourId, p.text},
        {juce::Label::textWhenEditingColourId, p.text},
        {juce::Label::backgroundColourId, clear},
        {juce::Label::outlineColourId, clear},
        {juce::TextEditor::backgroundColourId, p.background},
        {juce::TextEditor::textColourId, p.text},
        {juce::TextEditor::highlightColourId, p.accent.withAlpha(0.35f)},
        {juce::TextEditor::highlightedTextColourId, p.text},
        {juce::TextEditor::outlineColourId, p.line},
        {juce::TextEditor::focusedOutlineColourId, p.accent},
        {juce::TextEditor::shadowColourId, clear},
        {juce::CaretComponent::caretColourId, p.accent},
        {juce::PopupMenu::backgroundColourId, p.panel},
        {juce::PopupMenu::textColourId, p.text},
        {juce::PopupMenu::headerTextColourId, p.secondary},
        {juce::PopupMenu::highlightedBackgroundColourId, p.raised},
        {juce::PopupMenu::highlightedTextColourId, p.text},
        {juce::ScrollBar::backgroundColourId, clear},
        {juce::ScrollBar::thumbColourId, p.secondary.withAlpha(0.5f)},
        {juce::ScrollBar::trackColourId, clear},
        {juce::TooltipWindow::backgroundColourId, p.raised},
        {juce::TooltipWindow::textColourId, p.text},
        {juce::TooltipWindow::outlineColourId, p.line},
        {juce::ListBox::backgroundColourId, clear},
        {juce::ListBox::textColourId, p.text},
        {juce::ListBox::outlineColourId, clear},
        {juce::TableHeaderComponent::backgroundColourId, clear},
        {juce::TableHeaderComponent::textColourId, p.secondary},
        {juce::TableHeaderComponent::outlineColourId, clear},
        {juce::TableHeaderComponent::highlightColourId, p.raised},
        {juce::AlertWindow::backgroundColourId, p.panel},
        {juce::AlertWindow::textColourId, p.text},
        {juce::AlertWindow::outlineColourId, p.line},
        {juce::ProgressBar::backgroundColourId, p.line},
        {juce::ProgressBar::foregroundColourId, p.accent},
        {juce::HyperlinkButton::textColourId, p.accent},
        {juce::GroupComponent::textColourId, p.secondary},
        {juce::GroupComponent::outlineColourId, p.line},
    };
    for (const auto& [id, colour] : defaults) setColour(id, colour);
}

juce::Font Theme::font(float height, bool bold) {
    const juce::String style = bold ? boldStyle() : juce::String("Regular");
#if JUCE_MAJOR_VERSION >= 8
    return juce::Font(juce::FontOptions(familyName(), style, height).withPointHeight(height));
#else
    return juce::Font(familyName(), style, height).withPointHeight(height);
#endif
}

juce::Typeface::Ptr Theme::getTypefaceForFont(const juce::Font& font) {
    if (font.getTypefaceName() != juce::Font::getDefaultSansSerifFontName())
        return LookAndFeel_V4::getTypefaceForFont(font);
    juce::Font named(font);
    named.setTypefaceName(familyName());
    return juce::Typeface::createSystemTypefaceFor(named);
}

float Theme::textWidth(const juce::Font& font, const juce::String& text) {
    juce::GlyphArrangement glyphs;
    glyphs.addLineOfText(font, text, 0.0f, 0.0f);
    return glyphs.getBoundingBox(0, -1, true).getWidth();
}

void Theme::drawNumber(juce::Graphics& graphics, const juce::String& text, juce::Rectangle<float> area,
                       juce::Justification justification) {
    const juce::Font font = graphics.getCurrentFont();
    const float digit = textWidth(font, "0");
    juce::GlyphArrangement glyphs;
    float x = 0.0f;
    for (auto at = text.getCharPointer(); !at.isEmpty(); ++at) {
        const auto letter = juce::String::charToString(*at);
        const float own = textWidth(font, letter);
        const float width = juce::CharacterFunctions::isDigit(*at) ? digit : own;
        glyphs.addLineOfText(font, letter, x + (width - own) / 2.0f, 0.0f);
        x += width;
    }
    const auto place = justification.appliedToRectangle(juce::Rectangle<float>(x, font.getHeight()), area);
    glyphs.draw(graphics, juce::AffineTransform::translation(place.getX(), place.getY() + font.getAscent()));
}

void Theme::drawFocus(juce::Graphics& graphics, const juce::Component& component, juce::Rectangle<int> area) {
    graphics.setColour(of(component).accent);
    graphics.drawRoundedRectangle(area.toFloat().reduced(1.0f), size::corner, 1.5f);
}

bool Theme::showsFocus(const juce::Button& button) {
    return button.hasKeyboardFocus(true) && !button.isMouseOver();
}

void Theme::drawButtonBackground(juce::Graphics& graphics, juce::Button& button, const juce::Colour& colour,
                                 bool highlighted, bool down) {
    const auto area = button.getLocalBounds().toFloat().reduced(hairline / 2.0f);
    const auto shape = roundedWithConnections(area, button);
    juce::Colour fill = colour;
    if (highlighted && !button.getToggleState()) fill = fill.interpolatedWith(palette_.raised, 0.5f);
    if (down) fill = palette_.raised;
    graphics.setColour(fill.withMultipliedAlpha(button.isEnabled() ? 1.0f : disabledPart));
    graphics.fillPath(shape);
    graphics.setColour(showsFocus(button) ? palette_.accent : palette_.line);
    graphics.strokePath(shape, juce::PathStrokeType(hairline));
}

void Theme::drawButtonText(juce::Graphics& graphics, juce::TextButton& button, bool highlighted, bool) {
    auto colour = button.findColour(button.getToggleState() ? juce::TextButton::textColourOnId
                                                            : juce::TextButton::textColourOffId);
    if (isSegment(button) && button.isEnabled() && !button.getToggleState() && !highlighted &&
        !button.isColourSpecified(juce::TextButton::textColourOffId))
        colour = palette_.secondary;
    graphics.setColour(colour.withMultipliedAlpha(button.isEnabled() ? 1.0f : disabledPart));
    graphics.setFont(getTextButtonFont(button, button.getHeight()));
    graphics.drawFittedText(button.getButtonText(), button.getLocalBounds().reduced(4, 2),
                            juce::Justification::centred, 1);
}

juce::Font Theme::getTextButtonFont(juce::TextButton&, int) { return font(12.0f); }

void Theme::drawToggleButton(juce::Graphics& graphics, juce::ToggleButton& button, bool highlighted, bool) {
    constexpr float side = 16.0f;
    const auto bounds = button.getLocalBounds().toFloat();
    const auto box = juce::Rectangle<float>(side, side).withCentre({side / 2.0f + 2.0f, bounds.getCentreY()});
    const float alpha = button.isEnabled() ? 1.0f : disabledPart;
    const bool on = button.getToggleState();
    graphics.setColour((on ? button.findColour(juce::ToggleButton::tickColourId) : palette_.background)
                           .withMultipliedAlpha(alpha));
    graphics.fillRoundedRectangle(box, 4.0f);
    if (!on || showsFocus(button)) {
        const auto outline = showsFocus(button) ? palette_.accent
                             : highlighted      ? palette_.secondary
                                                : palette_.line;
        graphics.setColour(outline.withMultipliedAlpha(alpha));
        graphics.drawRoundedRectangle(on ? box.expanded(2.0f) : box.reduced(0.5f), on ? 5.0f : 4.0f,
                                      hairline);
    }
    if (on) {
        juce::Path tick;
        tick.startNewSubPath(box.getX() + 4.0f, box.getCentreY() + 0.5f);
        tick.lineTo(box.getX() + 7.0f, box.getBottom() - 4.5f);
        tick.lineTo(box.getRight() - 4.0f, box.getY() + 5.0f);
        graphics.setColour(palette_.background);
        graphics.strokePath(tick, juce::PathStrokeType(2.0f));
    }
    graphics.setColour(button.findColour(juce::ToggleButton::textColourId).withMultipliedAlpha(alpha));
    graphics.setFont(font(12.0f));
    graphics.drawFittedText(button.getButtonText(),
                            button.getLocalBounds().withTrimmedLeft(static_cast<int>(side) + 10),
                            juce::Justification::centredLeft, 1);
}

void Theme::changeToggleButtonWidthToFitText(juce::ToggleButton& button) {
    button.setSize(juce::roundToInt(textWidth(font(12.0f), button.getButtonText())) + 34, button.getHeight());
}

void Theme::drawLinearSlider(juce::Graphics& graphics, int x, int y, int width, int height, float position,
                             float lowest, float highest, juce::Slider::SliderStyle style,
                             juce::Slider& slider) {
    if (style != juce::Slider::LinearHorizontal && style != juce::Slider::LinearVertical) {
        LookAndFeel_V4::drawLinearSlider(graphics, x, y, width, height, position, lowest, highest, style,
                                         slider);
        return;
    }
    constexpr float track = 4.0f;
    const auto area = juce::Rectangle<int>(x, y, width, height).toFloat();
    const float alpha = slider.isEnabled() ? 1.0f : disabledPart;
    const auto horizontal = style == juce::Slider::LinearHorizontal;
    const auto whole = horizontal ? area.withSizeKeepingCentre(area.getWidth(), track)
                                  : area.withSizeKeepingCentre(track, area.getHeight());
    graphics.setColour(slider.findColour(juce::Slider::backgroundColourId).withMultipliedAlpha(alpha));
    graphics.fillRoundedRectangle(whole, track / 2.0f);
    graphics.setColour(slider.findColour(juce::Slider::trackColourId).withMultipliedAlpha(alpha));
    graphics.fillRoundedRectangle(horizontal ? whole.withRight(position) : whole.withTop(position),
                                  track / 2.0f);

    const auto radius = static_cast<float>(getSliderThumbRadius(slider));
    const auto centre = horizontal ? juce::Point<float>(position, area.getCentreY())
                                   : juce::Point<float>(area.getCentreX(), position);
    const auto thumb = juce::Rectangle<float>(2.0f * radius, 2.0f * radius).withCentre(centre);
    const auto colour = slider.findColour(juce::Slider::thumbColourId);
    graphics.setColour(slider.isEnabled() ? colour : colour.interpolatedWith(palette_.background, 0.6f));
    graphics.fillEllipse(thumb.reduced(0.5f));
    const bool focused = slider.hasKeyboardFocus(true);
    if (palette_.light || focused) {
        graphics.setColour(focused ? palette_.accent : palette_.secondary);
        graphics.drawEllipse(thumb.reduced(focused ? 0.0f : 0.5f), focused ? 2.0f : hairline);
    }
}

int Theme::getSliderThumbRadius(juce::Slider& slider) {
    return juce::jmin(7, slider.getHeight() / 2, juce::jmax(1, slider.getWidth() / 2));
}

void Theme::drawComboBox(juce::Graphics& graphics, int width, int height, bool, int, int, int, int,
                         juce::ComboBox& box) {
    const auto area = juce::Rectangle<int>(width, height).toFloat().reduced(hairline / 2.0f);
    const float alpha = box.isEnabled() ? 1.0f : disabledPart;
    graphics.setColour(box.findColour(juce::ComboBox::backgroundColourId).withMultipliedAlpha(alpha));
    graphics.fillRoundedRectangle(area, size::corner);
    const bool focused = box.hasKeyboardFocus(true);
    graphics.setColour(
        box.findColour(focused ? juce::ComboBox::focusedOutlineColourId : juce::ComboBox::outlineColourId));
    graphics.drawRoundedRectangle(area, size::corner, hairline);
    graphics.setColour(box.findColour(juce::ComboBox::arrowColourId).withMultipliedAlpha(alpha));
    drawChevron(graphics, {area.getRight() - 14.0f, area.getCentreY()});
}

juce::Font Theme::getComboBoxFont(juce::ComboBox&) { return font(12.0f); }

void Theme::positionComboBoxText(juce::ComboBox& box, juce::Label& label) {
    label.setBounds(box.getLocalBounds().reduced(8, 1).withTrimmedRight(16));
    label.setFont(getComboBoxFont(box));
}

} // namespace earshot::ui
