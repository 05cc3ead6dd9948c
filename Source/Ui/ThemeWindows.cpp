// The Theme's text editors, menus, scroll bars and floating components.
#include "Ui/Theme.h"

namespace earshot::ui {

void Theme::fillTextEditorBackground(juce::Graphics& graphics, int width, int height,
                                     juce::TextEditor& editor) {
    graphics.setColour(editor.findColour(juce::TextEditor::backgroundColourId));
    graphics.fillRoundedRectangle(juce::Rectangle<int>(width, height).toFloat().reduced(0.5f), size::corner);
}

void Theme::drawTextEditorOutline(juce::Graphics& graphics, int width, int height, juce::TextEditor& editor) {
    const bool focused = editor.hasKeyboardFocus(true) && !editor.isReadOnly();
    graphics.setColour(editor.findColour(focused ? juce::TextEditor::focusedOutlineColourId
                                                 : juce::TextEditor::outlineColourId));
    graphics.drawRoundedRectangle(juce::Rectangle<int>(width, height).toFloat().reduced(0.5f), size::corner,
                                  1.0f);
}

void Theme::drawPopupMenuBackground(juce::Graphics& graphics, int width, int height) {
    graphics.fillAll(findColour(juce::PopupMenu::backgroundColourId));
    graphics.setColour(palette_.line);
    graphics.drawRect(0, 0, width, height);
}

juce::Font Theme::getPopupMenuFont() { return font(13.0f); }

void Theme::drawPopupMenuItem(juce::Graphics& graphics, const juce::Rectangle<int>& area, bool separator,
                              bool active, bool highlighted, bool ticked, bool hasSubMenu,
                              const juce::String& text, const juce::String& shortcut,
                              const juce::Drawable* icon, const juce::Colour* colour) {
    if (separator) {
        graphics.setColour(palette_.line);
        graphics.fillRect(area.reduced(8, 0).withSizeKeepingCentre(area.getWidth() - 16, 1));
        return;
    }
    auto row = area.reduced(4, 1);
    if (highlighted && active) {
        graphics.setColour(findColour(juce::PopupMenu::highlightedBackgroundColourId));
        graphics.fillRoundedRectangle(row.toFloat(), size::corner - 2.0f);
    }
    const auto own = colour != nullptr ? *colour : findColour(juce::PopupMenu::textColourId);
    graphics.setColour(active ? own : own.withMultipliedAlpha(disabledPart));
    graphics.setFont(getPopupMenuFont());
    const auto mark = row.removeFromLeft(24).toFloat();
    if (icon != nullptr)
        icon->drawWithin(graphics, mark.reduced(4.0f), juce::RectanglePlacement::centred, 1.0f);
    else if (ticked) {
        const auto centre = mark.getCentre();
        juce::Path tick;
        tick.startNewSubPath(centre.translated(-4.0f, 0.0f));
        tick.lineTo(centre.translated(-1.0f, 3.0f));
        tick.lineTo(centre.translated(4.5f, -4.0f));
        graphics.strokePath(tick, juce::PathStrokeType(1.6f));
    }
    row.removeFromRight(8);
    if (hasSubMenu) {
        const auto centre = row.removeFromRight(12).toFloat().getCentre();
        juce::Path arrow;
        arrow.addTriangle(centre.translated(-2.0f, -3.5f), centre.translated(-2.0f, 3.5f),
                          centre.translated(3.0f, 0.0f));
        graphics.fillPath(arrow);
    }
    graphics.drawFittedText(text, row, juce::Justification::centredLeft, 1);
    if (shortcut.isNotEmpty()) {
        graphics.setColour(palette_.secondary);
        graphics.drawText(shortcut, row, juce::Justification::centredRight);
    }
}

void Theme::getIdealPopupMenuItemSize(const juce::String& text, bool separator, int, int& width,
                                      int& height) {
    width = separator ? 50 : juce::roundToInt(textWidth(getPopupMenuFont(), text)) + 24 + 40;
    height = separator ? 9 : 26;
}

int Theme::getDefaultScrollbarWidth() { return 10; }

void Theme::drawScrollbar(juce::Graphics& graphics, juce::ScrollBar& bar, int x, int y, int width, int height,
                          bool vertical, int thumbStart, int thumbSize, bool over, bool down) {
    if (thumbSize <= 0) return;
    auto thumb = vertical ? juce::Rectangle<int>(x, thumbStart, width, thumbSize)
                          : juce::Rectangle<int>(thumbStart, y, thumbSize, height);
    const auto area = thumb.toFloat().reduced(over || down ? 2.0f : 3.0f);
    const auto colour = bar.findColour(juce::ScrollBar::thumbColourId);
    graphics.setColour(over || down ? colour.withMultipliedAlpha(1.6f) : colour);
    graphics.fillRoundedRectangle(area, juce::jmin(area.getWidth(), area.getHeight()) / 2.0f);
}

namespace {

juce::TextLayout tooltipLayout(const juce::String& text, juce::Colour colour) {
    juce::AttributedString string;
    string.setJustification(juce::Justification::centredLeft);
    string.append(text, Theme::font(12.0f), colour);
    juce::TextLayout layout;
    layout.createLayout(string, 360.0f);
    return layout;
}

} // namespace

juce::Rectangle<int> Theme::getTooltipBounds(const juce::String& text, juce::Point<int> position,
                                             juce::Rectangle<int> parent) {
    const auto layout = tooltipLayout(text, palette_.text);
    const int width = juce::roundToInt(layout.getWidth()) + 20;
    const int height = juce::roundToInt(layout.getHeight()) + 12;
    return juce::Rectangle<int>(
               position.x > parent.getCentreX() ? position.x - (width + 12) : position.x + 16,
               position.y > parent.getCentreY() ? position.y - (height + 6) : position.y + 10, width, height)
        .constrainedWithin(parent);
}

void Theme::drawTooltip(juce::Graphics& graphics, const juce::String& text, int width, int height) {
    const auto area = juce::Rectangle<int>(width, height).toFloat();
    graphics.setColour(findColour(juce::TooltipWindow::backgroundColourId));
    graphics.fillRoundedRectangle(area, size::corner);
    graphics.setColour(findColour(juce::TooltipWindow::outlineColourId));
    graphics.drawRoundedRectangle(area.reduced(0.5f), size::corner, 1.0f);
    tooltipLayout(text, findColour(juce::TooltipWindow::textColourId))
        .draw(graphics, area.reduced(10.0f, 6.0f));
}

void Theme::drawCallOutBoxBackground(juce::CallOutBox&, juce::Graphics& graphics, const juce::Path& path,
                                     juce::Image&) {
    graphics.setColour(palette_.raised);
    graphics.fillPath(path);
    graphics.setColour(palette_.secondary.withAlpha(0.4f));
    graphics.strokePath(path, juce::PathStrokeType(1.0f));
}

std::unique_ptr<juce::FocusOutline> Theme::createFocusOutlineForComponent(juce::Component&) {
    struct Outline : juce::FocusOutline::OutlineWindowProperties {
        explicit Outline(juce::Colour wanted)
            : colour(wanted) {}
        juce::Rectangle<int> getOutlineBounds(juce::Component& component) override {
            return component.getScreenBounds().expanded(2);
        }
        void drawOutline(juce::Graphics& graphics, int width, int height) override {
            graphics.setColour(colour);
            graphics.drawRoundedRectangle(juce::Rectangle<int>(width, height).toFloat().reduced(1.0f),
                                          size::corner + 1.0f, 2.0f);
        }
        juce::Colour colour;
    };
    return std::make_unique<juce::FocusOutline>(std::make_unique<Outline>(palette_.accent));
}

} // namespace earshot::ui
