#include "Ui/Panels/SidePanels.h"

#include "Ui/Panels/HelpPanel.h"
#include "Ui/Panels/SettingsPanel.h"
#include "Ui/Recordings/RecordingsPanel.h"
#include "Ui/Teach/TeachPanel.h"

#include <utility>
#include <vector>

namespace earshot::ui {

namespace {

class UncoveredTraverser : public juce::KeyboardFocusTraverser {
  public:
    explicit UncoveredTraverser(const juce::Component* panel)
        : panel_(panel) {}

    juce::Component* getNextComponent(juce::Component* current) override {
        do current = KeyboardFocusTraverser::getNextComponent(current);
        while (current != nullptr && isCovered(*current));
        return current;
    }
    juce::Component* getPreviousComponent(juce::Component* current) override {
        do current = KeyboardFocusTraverser::getPreviousComponent(current);
        while (current != nullptr && isCovered(*current));
        return current;
    }
    std::vector<juce::Component*> getAllComponents(juce::Component* parent) override {
        auto all = KeyboardFocusTraverser::getAllComponents(parent);
        std::erase_if(all, [this](const juce::Component* component) { return isCovered(*component); });
        return all;
    }

  private:
    bool isCovered(const juce::Component& component) const {
        return panel_ != nullptr && !panel_->isParentOf(&component) &&
               panel_->getLocalBounds().contains(
                   panel_->getLocalArea(&component, component.getLocalBounds()));
    }

    const juce::Component* panel_; // null: nothing is covered
};

} // namespace

SidePanels::SidePanels(juce::Component& view, Controller& controller, HistoryViewModel& viewModel)
    : view_(view)
    , controller_(controller)
    , viewModel_(viewModel) {}

SidePanels::~SidePanels() = default;

std::unique_ptr<SidePanel> SidePanels::make(Side side) {
    if (side == Side::settings) return std::make_unique<NonThrowing<SettingsPanel>>(controller_, viewModel_);
    if (side == Side::help) return std::make_unique<NonThrowing<HelpPanel>>(controller_.shell(), viewModel_);
    if (side == Side::teaching) {
        controller_.teaching().panelOpens();
        return std::make_unique<NonThrowing<TeachPanel>>(controller_, viewModel_);
    }
    auto recordings = std::make_unique<NonThrowing<RecordingsPanel>>(controller_.recordings(), viewModel_);
    recordings->onOpen = [this](const juce::File& file) {
        if (controller_.playback().recording() != file) controller_.playback().open(file);
    };
    recordings->showOpen(controller_.playback().recording());
    recordings->onGoTo = onGoTo;
    recordings->onPlay = onPlay;
    return recordings;
}

void SidePanels::open(Side side) {
    panel_.reset();
    panel_ = make(side);
    side_ = side;
    panel_->onClose = [this, panel = juce::Component::SafePointer<SidePanel>(panel_.get())] {
        // Not from within a click on its own button. This object exists as long as the panel does.
        juce::MessageManager::callAsync([this, panel] {
            if (panel != nullptr) catchAll(view_, [this] { close(); });
        });
    };
    view_.addAndMakeVisible(*panel_);
    panel_->sendLookAndFeelChange();
    view_.resized(); // which places it
    panel_->focusFirst();
}

void SidePanels::toggle(Side side) {
    if (shows(side))
        close();
    else
        open(side);
}

bool SidePanels::close() {
    if (panel_ == nullptr) return false;
    panel_.reset();
    view_.resized(); // which has its room again
    takeKeyboard(view_);
    return true;
}

bool SidePanels::focus() {
    if (panel_ == nullptr) return false;
    panel_->focusFirst();
    return true;
}

int SidePanels::width() const {
    if (panel_ == nullptr) return 0;
    return side_ == Side::recordings ? RecordingsPanel::widest : SidePanel::widest;
}

void SidePanels::place(const MainLayout& layout) {
    if (panel_ != nullptr) panel_->setBounds(side_ == Side::recordings ? layout.wideSide : layout.side);
}

void SidePanels::showOpenRecording() {
    if (auto* recordings = dynamic_cast<RecordingsPanel*>(panel_.get()))
        recordings->showOpen(controller_.playback().recording());
}

std::unique_ptr<juce::ComponentTraverser> SidePanels::traverser() const {
    return std::make_unique<UncoveredTraverser>(panel_.get());
}

} // namespace earshot::ui
