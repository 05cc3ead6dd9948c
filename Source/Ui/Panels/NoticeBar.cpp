#include "Ui/Panels/NoticeBar.h"

#include "Ui/NonThrowing.h"

namespace earshot::ui {

namespace {

constexpr int readingTime = 8000; // ms
constexpr int actionPadding = 24; // logical pixels beside an action's name

} // namespace

juce::Colour colourOf(Tone tone, const Palette& palette) {
    switch (tone) {
    case Tone::fine:
        return palette.fine;
    case Tone::busy:
        return palette.accent;
    case Tone::trouble:
        return palette.trouble;
    case Tone::idle:
        break;
    }
    return palette.secondary;
}

NoticeBar::NoticeBar() {
    action_.onClick = [this] {
        const auto act = act_; // a copy, because it may change the notice
        if (act) act();
    };
    addChildComponent(action_);
    addAndMakeVisible(close_);
    close_.onClick = [this] { close(); };
}

NoticeBar::~NoticeBar() = default;

void NoticeBar::say(const juce::String& text, Tone tone, const Action& action) {
    passing_ = {text, tone, action};
    if (tone == Tone::trouble)
        stopTimer();
    else
        startTimer(readingTime);
    show();
}

void NoticeBar::setWork(const juce::String& text, const Action& action) {
    work_ = {text, Tone::busy, action};
    show();
}

void NoticeBar::setStanding(const juce::String& text, Tone tone) {
    if (text.isEmpty()) closed_ = {};
    if (text == standing_.text && tone == standing_.tone) return;
    standing_ = {text, tone};
    show();
}

void NoticeBar::timerCallback() {
    catchAll(*this, [this] { tick(); });
}

void NoticeBar::tick() {
    stopTimer();
    passing_ = {};
    show();
}

void NoticeBar::close() {
    stopTimer();
    if (passing_.text.isNotEmpty())
        passing_ = {};
    else
        closed_ = standing_.text;
    show();
}

void NoticeBar::show() {
    News shown = passing_;
    const bool works = shown.text.isEmpty() && work_.text.isNotEmpty();
    if (works) shown = work_;
    if (shown.text.isEmpty() && standing_.text != closed_) shown = standing_;
    if (shown.text == text_ && shown.tone == tone_) return;
    const bool announce = shown.text.isNotEmpty() && shown.text != text_ && !works;
    close_.setVisible(!works); // work is stopped, not closed
    showAction(shown.action);
    text_ = shown.text;
    tone_ = shown.tone;
    describe(*this, text_);
    if (announce)
        juce::AccessibilityHandler::postAnnouncement(
            text_, tone_ == Tone::trouble ? juce::AccessibilityHandler::AnnouncementPriority::high
                                          : juce::AccessibilityHandler::AnnouncementPriority::medium);
    repaint();
    if (onChange) onChange();
}

void NoticeBar::showAction(const Action& action) {
    action_.setButtonText(action.name);
    describe(action_, action.name);
    act_ = action.act;
    action_.setVisible(action.name.isNotEmpty());
    resized();
}

void NoticeBar::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    const auto colour = colourOf(tone_, palette);
    graphics.fillAll(palette.panel.interpolatedWith(colour, palette.light ? 0.12f : 0.16f));
    graphics.setColour(colour);
    graphics.fillRect(getLocalBounds().removeFromLeft(3));
    graphics.setColour(palette.text);
    graphics.setFont(Theme::font(12.0f));
    const int end = action_.isVisible() ? action_.getX() - size::gap : getWidth() - 44;
    graphics.drawFittedText(text_, getLocalBounds().withTrimmedLeft(size::margin + 4).withRight(end),
                            juce::Justification::centredLeft, 2, 0.9f);
}

void NoticeBar::resized() {
    auto area = getLocalBounds();
    close_.setBounds(area.removeFromRight(40).reduced(6, 4));
    const float width = Theme::textWidth(Theme::font(12.0f), action_.getButtonText());
    action_.setBounds(area.removeFromRight(static_cast<int>(width) + actionPadding).reduced(0, 4));
}

std::unique_ptr<juce::AccessibilityHandler> NoticeBar::createAccessibilityHandler() {
    return std::make_unique<juce::AccessibilityHandler>(*this, juce::AccessibilityRole::group);
}

} // namespace earshot::ui
