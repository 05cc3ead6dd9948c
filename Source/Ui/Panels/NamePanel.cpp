#include "Ui/Panels/NamePanel.h"

#include "Ui/Theme.h"

#include <utility>

namespace earshot::ui {

namespace {

constexpr int nameHeight = 70; // without a refusal

} // namespace

NamePanel::NamePanel(const juce::String& title, const juce::String& help, const juce::String& name, Take take)
    : take_(std::move(take)) {
    describeWithTooltip(field, title, help);
    field.setText(name, false);
    field.setSelectAllWhenFocused(true);
    field.onReturn = [this] {
        takeName();
        return true;
    };
    addAndMakeVisible(field);
    addAndMakeVisible(refusal);
    setSize(300, nameHeight);
}

void NamePanel::takeName() {
    const auto why = take_(field.getText().trim());
    refusal.setText(why);
    setSize(getWidth(), nameHeight + (why.isEmpty() ? 0 : refusal.heightFor(getWidth() - 24) + 4));
    if (why.isNotEmpty()) {
        juce::AccessibilityHandler::postAnnouncement(why,
                                                     juce::AccessibilityHandler::AnnouncementPriority::high);
        return;
    }
    if (auto* box = findParentComponentOfClass<juce::CallOutBox>()) box->dismiss();
}

void NamePanel::resized() {
    dressEditor(field);
    auto area = getLocalBounds().reduced(12, 8);
    area.removeFromTop(24);
    field.setBounds(area.removeFromTop(size::control));
    area.removeFromTop(4);
    refusal.setBounds(area);
}

void NamePanel::paint(juce::Graphics& graphics) {
    graphics.setColour(Theme::of(*this).text);
    graphics.setFont(Theme::font(12.0f, true));
    graphics.drawText(field.getTitle(), getLocalBounds().reduced(12, 8).removeFromTop(22),
                      juce::Justification::centredLeft);
}

} // namespace earshot::ui
