#include "Ui/Panels/Widgets.h"

#include "Ui/CatchAll.h"

#include <cmath>
#include <utility>

namespace earshot::ui {

namespace {

juce::Path signPath(Sign sign) {
    juce::Path path; // within 16 x 16
    switch (sign) {
    case Sign::folder:
        path.startNewSubPath(2.0f, 12.5f);
        path.lineTo(2.0f, 4.0f);
        path.lineTo(6.0f, 4.0f);
        path.lineTo(7.5f, 6.0f);
        path.lineTo(14.0f, 6.0f);
        path.lineTo(14.0f, 12.5f);
        path.closeSubPath();
        break;
    case Sign::list:
        for (const float y : {4.0f, 8.0f, 12.0f}) {
            path.startNewSubPath(2.5f, y);
            path.lineTo(13.5f, y);
        }
        break;
    case Sign::gear:
        for (int tooth = 0; tooth < 8; ++tooth) {
            const auto turn = juce::AffineTransform::rotation(
                static_cast<float>(tooth) * juce::MathConstants<float>::pi / 4.0f, 8.0f, 8.0f);
            juce::Path spoke;
            spoke.startNewSubPath(8.0f, 3.4f);
            spoke.lineTo(8.0f, 1.6f);
            path.addPath(spoke, turn);
        }
        path.addEllipse(3.6f, 3.6f, 8.8f, 8.8f);
        path.addEllipse(6.2f, 6.2f, 3.6f, 3.6f);
        break;
    case Sign::close:
        path.startNewSubPath(4.0f, 4.0f);
        path.lineTo(12.0f, 12.0f);
        path.startNewSubPath(12.0f, 4.0f);
        path.lineTo(4.0f, 12.0f);
        break;
    case Sign::up:
        path.startNewSubPath(4.0f, 10.0f);
        path.lineTo(8.0f, 6.0f);
        path.lineTo(12.0f, 10.0f);
        break;
    case Sign::down:
        path.startNewSubPath(4.0f, 6.0f);
        path.lineTo(8.0f, 10.0f);
        path.lineTo(12.0f, 6.0f);
        break;
    case Sign::play:
        path.addTriangle(5.0f, 3.0f, 5.0f, 13.0f, 13.0f, 8.0f);
        break;
    case Sign::stop:
        path.addRectangle(4.0f, 4.0f, 8.0f, 8.0f);
        break;
    case Sign::more:
        for (const float x : {3.5f, 8.0f, 12.5f})
            path.addEllipse(juce::Rectangle<float>(2.6f, 2.6f).withCentre({x, 8.0f}));
        break;
    case Sign::undo:
    case Sign::redo:
        path.startNewSubPath(5.5f, 3.0f);
        path.lineTo(2.5f, 6.0f);
        path.lineTo(5.5f, 9.0f);
        path.startNewSubPath(2.5f, 6.0f);
        path.lineTo(9.5f, 6.0f);
        path.cubicTo(14.5f, 6.0f, 14.5f, 13.0f, 9.5f, 13.0f);
        path.lineTo(6.0f, 13.0f);
        if (sign == Sign::redo) path.applyTransform(juce::AffineTransform::scale(-1.0f, 1.0f, 8.0f, 8.0f));
        break;
    }
    return path;
}

juce::RangedAudioParameter& parameterOf(juce::AudioProcessorValueTreeState& parameters, const char* id) {
    auto* parameter = parameters.getParameter(id);
    jassert(parameter != nullptr);
    return *parameter;
}

} // namespace

void drawPanel(juce::Graphics& graphics, const juce::Component& component, juce::Rectangle<float> area) {
    graphics.setColour(Theme::of(component).panel);
    graphics.fillRoundedRectangle(area, size::corner + 2.0f);
    if (!Theme::of(component).light) return;
    graphics.setColour(Theme::of(component).line);
    graphics.drawRoundedRectangle(area.reduced(0.5f), size::corner + 2.0f, 1.0f);
}

juce::String toText(const std::string& utf8) {
    return juce::String::createStringFromData(utf8.data(), static_cast<int>(utf8.size()));
}

void describe(juce::Component& component, const juce::String& title, const juce::String& help) {
    component.setTitle(title);
    component.setDescription(title);
    component.setHelpText(help);
}

void dressEditor(juce::TextEditor& editor, const juce::String& whenEmpty) {
    const auto& palette = Theme::of(editor);
    // A long text scrolls between borders, and the bottom of its line has room for a "g".
    editor.setBorder({0, 2, 0, 10});
    editor.setIndents(9, 1);
    editor.setLineSpacing(1.2f);
    editor.setJustification(juce::Justification::centredLeft);
    editor.setFont(Theme::font(12.0f));
    editor.applyFontToAllText(Theme::font(12.0f));
    editor.applyColourToAllText(palette.text);
    editor.setTextToShowWhenEmpty(whenEmpty, palette.secondary);
}

void takeKeyboard(juce::Component& component) {
    if (component.isShowing()) component.grabKeyboardFocus();
}

void showMenu(juce::PopupMenu menu, juce::Component& target, std::optional<juce::Rectangle<int>> place) {
    menu.setLookAndFeel(&target.getLookAndFeel());
    auto options = juce::PopupMenu::Options().withTargetComponent(&target);
    menu.showMenuAsync(place ? options.withTargetScreenArea(target.localAreaToGlobal(*place)) : options);
}

void showBeside(juce::Component& owner, std::unique_ptr<juce::Component> panel, juce::Rectangle<int> place) {
    // Within the view, whose theme it then has; what is around the view has another.
    auto* top = &owner;
    while (top->getParentComponent() != nullptr &&
           &top->getParentComponent()->getLookAndFeel() == &owner.getLookAndFeel())
        top = top->getParentComponent();
    auto& box =
        juce::CallOutBox::launchAsynchronously(std::move(panel), top->getLocalArea(&owner, place), top);
    // The keys go on in the owner afterwards.
    juce::ModalComponentManager::getInstance()->attachCallback(
        &box, juce::ModalCallbackFunction::create(
                  [safe = juce::Component::SafePointer<juce::Component>(&owner)](int) {
                      if (safe != nullptr) catchAll([&] { takeKeyboard(*safe); });
                  }));
}

void nameScrollBars(juce::Viewport& viewport, const juce::String& what) {
    for (auto* bar : {&viewport.getVerticalScrollBar(), &viewport.getHorizontalScrollBar()})
        bar->setTitle("Scroll " + what);
}

SignButton::SignButton(Sign sign, const juce::String& title, const juce::String& help, bool framed)
    : juce::Button(title)
    , sign_(sign)
    , framed_(framed) {
    describeWithTooltip(*this, title, help);
}

void SignButton::setSign(Sign sign) {
    if (sign == std::exchange(sign_, sign)) return;
    repaint();
}

void SignButton::paintButton(juce::Graphics& graphics, bool highlighted, bool down) {
    const auto& palette = Theme::of(*this);
    if (framed_)
        getLookAndFeel().drawButtonBackground(graphics, *this, findColour(juce::TextButton::buttonColourId),
                                              highlighted, down);
    else if (Theme::showsFocus(*this))
        Theme::drawFocus(graphics, *this, getLocalBounds());
    const auto square = getLocalBounds().toFloat().withSizeKeepingCentre(16.0f, 16.0f);
    const bool strong = framed_ || highlighted || getToggleState() || !isEnabled();
    const auto colour = strong ? palette.text : palette.secondary;
    graphics.setColour(colour.withMultipliedAlpha(isEnabled() ? 1.0f : disabledPart));
    const auto path = signPath(sign_);
    const auto move = juce::AffineTransform::translation(square.getX(), square.getY());
    if (sign_ == Sign::play || sign_ == Sign::stop || sign_ == Sign::more)
        graphics.fillPath(path, move);
    else
        graphics.strokePath(path, juce::PathStrokeType(1.4f, juce::PathStrokeType::curved), move);
}

MenuButton::MenuButton(const juce::String& title)
    : juce::Button(title) {
    describe(*this, title);
}

void MenuButton::setText(const juce::String& text, const juce::String& title, const juce::String& help) {
    if (text == text_ && help == getTooltip()) return;
    text_ = text;
    describeWithTooltip(*this, title, help);
    repaint();
}

int MenuButton::idealWidth() const {
    constexpr int room = 42; // beside the text
    return static_cast<int>(std::ceil(static_cast<double>(Theme::textWidth(Theme::font(12.0f), text_)))) +
           room;
}

void MenuButton::paintButton(juce::Graphics& graphics, bool highlighted, bool down) {
    const auto& palette = Theme::of(*this);
    getLookAndFeel().drawButtonBackground(graphics, *this, findColour(juce::TextButton::buttonColourId),
                                          highlighted, down);
    auto area = getLocalBounds().toFloat().reduced(12.0f, 0.0f);
    const auto centre = area.removeFromRight(8.0f).getCentre();
    juce::Path arrow;
    arrow.addTriangle(centre.translated(-3.5f, -2.0f), centre.translated(3.5f, -2.0f),
                      centre.translated(0.0f, 3.0f));
    graphics.setColour(palette.secondary);
    graphics.fillPath(arrow);
    graphics.setColour(palette.text);
    graphics.setFont(Theme::font(12.0f));
    graphics.drawText(text_, area.withTrimmedRight(6.0f), juce::Justification::centredLeft, true);
}

void MenuCaption::paintButton(juce::Graphics& graphics, bool highlighted, bool) {
    constexpr float inset = 4.0f, gap = 9.0f, arrow = 3.5f; // logical pixels
    const auto& palette = Theme::of(*this);
    const auto font = Theme::font(11.0f);
    graphics.setColour(highlighted ? palette.text : palette.secondary);
    graphics.setFont(font);
    const auto area = getLocalBounds().toFloat().withTrimmedLeft(inset);
    graphics.drawText(getButtonText(), area, juce::Justification::centredLeft, false);
    const juce::Point<float> centre(area.getX() + Theme::textWidth(font, getButtonText()) + gap,
                                    area.getCentreY());
    juce::Path path;
    path.addTriangle(centre.translated(-arrow, -2.0f), centre.translated(arrow, -2.0f),
                     centre.translated(0.0f, 2.5f));
    graphics.fillPath(path);
    if (Theme::showsFocus(*this)) Theme::drawFocus(graphics, *this, getLocalBounds());
}

ColumnHeader::ColumnHeader(const juce::String& name)
    : juce::Button(name) {
    rename(name);
}

void ColumnHeader::rename(const juce::String& name) {
    setName(name);
    describeWithTooltip(*this, "Order by " + name.toLowerCase(), "Order the list by " + name.toLowerCase());
    repaint();
}

void ColumnHeader::show(Order order) {
    if (order != std::exchange(order_, order)) repaint();
}

void ColumnHeader::paintButton(juce::Graphics& graphics, bool highlighted, bool) {
    const auto& palette = Theme::of(*this);
    const auto font = Theme::font(12.0f);
    if (Theme::showsFocus(*this)) Theme::drawFocus(graphics, *this, getLocalBounds());
    graphics.setColour(highlighted ? palette.text : palette.secondary);
    graphics.setFont(font);
    graphics.drawText(getName(), getLocalBounds(), juce::Justification::centredLeft, true);
    if (order_ == Order::none) return;
    const juce::Point<float> centre(Theme::textWidth(font, getName()) + 9.0f,
                                    static_cast<float>(getHeight()) / 2.0f);
    const float up = order_ == Order::falling ? -1.0f : 1.0f;
    juce::Path arrow;
    arrow.addTriangle(centre.translated(-3.0f, 1.5f * up), centre.translated(3.0f, 1.5f * up),
                      centre.translated(0.0f, -2.5f * up));
    graphics.fillPath(arrow);
}

ParameterSlider::ParameterSlider(juce::AudioProcessorValueTreeState& parameters, const char* id, Look look,
                                 const juce::String& title, const juce::String& help,
                                 const juce::String& unit, int decimals)
    : compact_(look == Look::compact) {
    if (compact_) {
        setSliderStyle(LinearBar);
        setMouseCursor(juce::MouseCursor::LeftRightResizeCursor);
    } else {
        setSliderStyle(LinearHorizontal);
        setTextBoxStyle(TextBoxRight, false, unit.isEmpty() || unit == "+" ? 46 : 58, size::control);
    }
    auto& parameter = parameterOf(parameters, id);
    attachment_ = std::make_unique<juce::SliderParameterAttachment>(parameter, *this);
    const double scale = unit == "%" ? 100.0 : 1.0;
    textFromValueFunction = [unit, decimals, scale](double value) {
        const auto number = decimals > 0 ? juce::String(scale * value, decimals)
                                         : juce::String(juce::roundToInt(scale * value));
        if (unit == "+") return (number.getDoubleValue() > 0.0 ? "+" : "") + number;
        return number + (unit.isEmpty() ? "" : " " + unit);
    };
    valueFromTextFunction = [scale](const juce::String& text) {
        return text.replaceCharacter(',', '.').getDoubleValue() / scale;
    };
    setDoubleClickReturnValue(!compact_,
                              static_cast<double>(parameter.convertFrom0to1(parameter.getDefaultValue())));
    setScrollWheelEnabled(true);
    setWantsKeyboardFocus(true);
    describeWithTooltip(*this, title, help);
    updateText();
    dressText();
}

ParameterSlider::~ParameterSlider() = default;

void ParameterSlider::paint(juce::Graphics& graphics) {
    if (!compact_) {
        juce::Slider::paint(graphics);
        return;
    }
    const auto& palette = Theme::of(*this);
    const auto area = getLocalBounds().toFloat().reduced(0.5f);
    graphics.setColour(palette.background);
    graphics.fillRoundedRectangle(area, size::corner);
    const auto proportion = static_cast<float>(valueToProportionOfLength(getValue()));
    auto bar = area.reduced(6.0f, 0.0f).removeFromBottom(2.0f);
    graphics.setColour(palette.accent.withMultipliedAlpha(isEnabled() ? 1.0f : disabledPart));
    graphics.fillRect(bar.removeFromLeft(bar.getWidth() * proportion));
    graphics.setColour(hasKeyboardFocus(true) ? palette.accent : palette.line);
    graphics.drawRoundedRectangle(area, size::corner, 1.0f);
}

void ParameterSlider::lookAndFeelChanged() {
    juce::Slider::lookAndFeelChanged(); // rebuilds the text
    dressText();
}

void ParameterSlider::enablementChanged() {
    juce::Slider::enablementChanged();
    repaint();
}

void ParameterSlider::dressText() {
    for (auto* child : getChildren())
        if (auto* label = dynamic_cast<juce::Label*>(child)) {
            label->setFont(Theme::font(12.0f));
            label->setTitle(getTitle());
            label->setTooltip(getTooltip());
            label->setColour(juce::Label::textColourId, findColour(juce::Slider::textBoxTextColourId));
            label->setJustificationType(compact_ ? juce::Justification::centred
                                                 : juce::Justification::centredRight);
        }
}

ParameterBox::ParameterBox(juce::AudioProcessorValueTreeState& parameters, const char* id,
                           const juce::String& title, const juce::String& help) {
    auto& parameter = parameterOf(parameters, id);
    addItemList(parameter.getAllValueStrings(), 1);
    attachment_ = std::make_unique<juce::ComboBoxParameterAttachment>(parameter, *this);
    describeWithTooltip(*this, title, help);
    setWantsKeyboardFocus(true);
}

ParameterBox::~ParameterBox() = default;

void ShareBar::show(const juce::String& title, double share, const juce::String& words) {
    const auto part = static_cast<float>(juce::jlimit(0.0, 1.0, share));
    const auto told = title + ": " + words;
    if (told == getTitle() && part == share_) return;
    words_ = words;
    share_ = part;
    describe(*this, told);
    repaint();
}

void ShareBar::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    auto area = getLocalBounds().toFloat();
    const auto words = area.removeFromRight(76.0f);
    const auto bar = area.withSizeKeepingCentre(area.getWidth(), 6.0f);
    graphics.setColour(palette.line);
    graphics.fillRoundedRectangle(bar, 3.0f);
    graphics.setColour(palette.accent);
    graphics.fillRoundedRectangle(bar.withWidth(bar.getWidth() * share_), 3.0f);
    graphics.setColour(palette.text);
    graphics.setFont(Theme::font(12.0f));
    Theme::drawNumber(graphics, words_, words, juce::Justification::centredRight);
}

std::unique_ptr<juce::AccessibilityHandler> ShareBar::createAccessibilityHandler() {
    return std::make_unique<juce::AccessibilityHandler>(*this, juce::AccessibilityRole::progressBar);
}

Caption::Caption(const juce::String& text, Role role)
    : text_(text)
    , role_(role) {
    setInterceptsMouseClicks(false, false);
    setTitle(text);
}

void Caption::setText(const juce::String& text) {
    if (text == text_) return;
    text_ = text;
    setTitle(text);
    repaint();
}

void Caption::setJustification(juce::Justification justification) { justification_ = justification; }

juce::Font Caption::font() const {
    return role_ == Role::heading ? Theme::font(13.0f, true) : Theme::font(12.0f);
}

int Caption::textWidth() const {
    return static_cast<int>(std::ceil(static_cast<double>(Theme::textWidth(font(), text_)))) + 1;
}

int Caption::heightFor(int width) const {
    juce::AttributedString string;
    string.append(text_, font());
    juce::TextLayout layout;
    layout.createLayout(string, static_cast<float>(width));
    return static_cast<int>(std::ceil(layout.getHeight()));
}

void Caption::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    const auto colour = role_ == Role::secondary ? palette.secondary
                        : role_ == Role::trouble ? palette.trouble
                                                 : palette.text;
    const float height = font().getHeight();
    if (static_cast<float>(getHeight()) < 2.0f * height) {
        graphics.setColour(colour);
        graphics.setFont(font());
        graphics.drawText(text_, getLocalBounds(), justification_, true);
        return;
    }
    juce::AttributedString string;
    string.setJustification(justification_);
    string.append(text_, font(), colour);
    string.draw(graphics, getLocalBounds().toFloat());
}

std::unique_ptr<juce::AccessibilityHandler> Caption::createAccessibilityHandler() {
    return std::make_unique<juce::AccessibilityHandler>(*this, juce::AccessibilityRole::staticText);
}

} // namespace earshot::ui
