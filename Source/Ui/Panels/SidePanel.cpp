#include "Ui/Panels/SidePanel.h"

#include <cassert>
#include <utility>

namespace earshot::ui {

SidePanel::SidePanel(HistoryViewModel& viewModel, const juce::String& title, const juce::String& close)
    : viewModel_(viewModel)
    , title_(title, Caption::Role::heading)
    , close_(Sign::close, close, "Close (Escape)", false) {
    describe(*this, title);
    setFocusContainerType(FocusContainerType::keyboardFocusContainer);
    addAndMakeVisible(title_);
    close_.onClick = [this] {
        if (onClose) onClose();
    };
    addAndMakeVisible(close_);
    viewport_.setViewedComponent(&content_, false);
    viewport_.setScrollBarsShown(true, false);
    describe(viewport_, title, "Up, down, Page up and Page down scroll");
    nameScrollBars(viewport_, title);
    addAndMakeVisible(viewport_);
    juce::Desktop::getInstance().addFocusChangeListener(this);
    viewModel_.addListener(this);
}

SidePanel::~SidePanel() {
    viewModel_.removeListener(this);
    juce::Desktop::getInstance().removeFocusChangeListener(this);
}

void SidePanel::add(std::unique_ptr<SettingsSection> section) {
    insert(sections_.size(), std::move(section));
}

void SidePanel::insert(std::size_t place, std::unique_ptr<SettingsSection> section) {
    assert(place <= sections_.size());
    content_.addAndMakeVisible(*section);
    sections_.insert(sections_.begin() + static_cast<std::ptrdiff_t>(place), std::move(section));
}

void SidePanel::remove(const SettingsSection& section) {
    std::erase_if(sections_, [&](const auto& kept) { return kept.get() == &section; });
}

void SidePanel::fill(juce::Component& body) {
    body_ = &body;
    viewport_.setVisible(false);
    addAndMakeVisible(body);
}

void SidePanel::focusFirst() { takeKeyboard(close_); }

// What Tab goes to must be seen. What is clicked is in sight already, and must stay under the pointer.
void SidePanel::globalFocusChanged(juce::Component* focused) {
    catchAll(*this, [&] {
        if (focused == nullptr || !content_.isParentOf(focused)) return;
        if (juce::ModifierKeys::currentModifiers.isAnyMouseButtonDown()) return;
        scrollTo(content_.getLocalArea(focused, focused->getLocalBounds()));
    });
}

void SidePanel::scrollTo(juce::Rectangle<int> area) {
    const auto shown = viewport_.getViewArea();
    if (area.getY() < shown.getY())
        viewport_.setViewPosition(0, area.getY() - size::gap);
    else if (area.getBottom() > shown.getBottom())
        viewport_.setViewPosition(0, area.getBottom() + size::gap - shown.getHeight());
}

bool SidePanel::keyPressed(const juce::KeyPress& key) {
    if (key != juce::KeyPress(juce::KeyPress::escapeKey)) return false;
    if (onClose) onClose();
    return true;
}

void SidePanel::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    graphics.fillAll(palette.panel);
    graphics.setColour(palette.line);
    graphics.fillRect(getLocalBounds().removeFromLeft(1));
    graphics.fillRect(getLocalBounds().removeFromTop(size::topBar).removeFromBottom(1));
}

void SidePanel::resized() {
    auto area = getLocalBounds().withTrimmedLeft(1);
    auto header = area.removeFromTop(size::topBar - 1).withTrimmedLeft(20).withTrimmedRight(size::gap);
    close_.setBounds(header.removeFromRight(36).reduced(4, 10));
    title_.setBounds(header);
    area.removeFromTop(1);
    if (body_ != nullptr) {
        body_->setBounds(area);
        return;
    }
    viewport_.setBounds(area);
    const int visible = viewport_.getMaximumVisibleWidth();
    placeSections();
    if (viewport_.getMaximumVisibleWidth() != visible) placeSections(); // a scroll bar has come or gone
}

void SidePanel::placeSections() {
    const int visible = viewport_.getMaximumVisibleWidth();
    const int width = visible - 2 * 20 + 8;
    int y = size::gap;
    for (auto& section : sections_) {
        const int height = section->heightFor(width);
        section->setBounds(20, y, width, height);
        section->resized(); // its texts may have changed within the same bounds
        y += height + 14;
    }
    content_.setSize(visible, y);
}

} // namespace earshot::ui
