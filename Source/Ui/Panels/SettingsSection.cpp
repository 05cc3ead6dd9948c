#include "Ui/Panels/SettingsSection.h"

#include "Ui/NonThrowing.h"

#include <algorithm>
#include <utility>

namespace earshot::ui {

namespace {

constexpr int headingHeight = 28;
constexpr int captionWidth = 132;
constexpr int space = 6;

} // namespace

SettingsSection::SettingsSection(const juce::String& heading)
    : heading_(heading, Caption::Role::heading) {
    describe(*this, heading);
    addAndMakeVisible(heading_);
}

SettingsSection::~SettingsSection() = default;

void SettingsSection::addRow(const juce::String& name, juce::Component& control, int width) {
    auto caption = std::make_unique<NonThrowing<Caption>>(name);
    addAndMakeVisible(*caption);
    addAndMakeVisible(control);
    // The wheel scrolls the panel.
    if (auto* slider = dynamic_cast<juce::Slider*>(&control)) slider->setScrollWheelEnabled(false);
    rows_.push_back({std::move(caption), &control, width, size::control});
}

void SettingsSection::addWide(juce::Component& control, int height) {
    addAndMakeVisible(control);
    rows_.push_back({nullptr, &control, 0, height});
}

Caption& SettingsSection::addText(const juce::String& text, Caption::Role role) {
    texts_.push_back(std::make_unique<NonThrowing<Caption>>(text, role));
    Caption& caption = *texts_.back();
    addAndMakeVisible(caption);
    rows_.push_back({nullptr, &caption, 0, 0});
    return caption;
}

void SettingsSection::addToHeading(juce::Component& control, int width) {
    beside_ = &control;
    besideWidth_ = width;
    addAndMakeVisible(control);
}

void SettingsSection::addLine(const juce::String& name, const juce::String& text) {
    addText(text);
    auto caption = std::make_unique<NonThrowing<Caption>>(name, Caption::Role::text);
    addAndMakeVisible(*caption);
    rows_.back().name = std::move(caption);
}

int SettingsSection::nameWidth(const Row& row, int width) {
    return row.name != nullptr ? std::min(captionWidth, width / 3) : 0;
}

void SettingsSection::setFolded(bool folded) {
    for (auto& row : rows_) {
        row.control->setVisible(!folded);
        if (row.name != nullptr) row.name->setVisible(!folded);
    }
}

int SettingsSection::rowHeight(const Row& row, int width) const {
    if (!row.control->isVisible()) return 0;
    if (row.height > 0) return row.height;
    const auto& caption = static_cast<const Caption&>(*row.control);
    return caption.text().isEmpty() ? 0 : caption.heightFor(width - nameWidth(row, width)) + 2;
}

int SettingsSection::heightFor(int width) const {
    int height = headingHeight;
    for (const auto& row : rows_)
        if (const int own = rowHeight(row, width); own > 0) height += own + space;
    return height;
}

void SettingsSection::resized() {
    auto area = getLocalBounds();
    auto top = area.removeFromTop(headingHeight);
    if (beside_ != nullptr) beside_->setBounds(top.removeFromRight(besideWidth_));
    heading_.setBounds(top);
    for (auto& row : rows_) {
        const int height = rowHeight(row, area.getWidth());
        auto line = area.removeFromTop(height);
        if (height > 0) area.removeFromTop(space);
        if (row.name != nullptr) row.name->setBounds(line.removeFromLeft(nameWidth(row, line.getWidth())));
        row.control->setBounds(row.width > 0 ? line.removeFromLeft(std::min(row.width, line.getWidth()))
                                             : line);
    }
}

} // namespace earshot::ui
