#include "Ui/Timeline/PinnedNote.h"

namespace earshot::ui {

PinnedNote::PinnedNote(juce::Component& view, Controller& controller, HistoryViewModel& viewModel,
                       HoverTip& tip)
    : view_(view)
    , controller_(controller)
    , viewModel_(viewModel)
    , tip_(tip) {
    tip_.include.onClick = [this] { include(); };
    tip_.notThis.onClick = [this] {
        const auto span = span_;
        close();
        if (span && onNotThis) onNotThis(*span);
    };
    juce::Desktop::getInstance().addGlobalMouseListener(this);
}

PinnedNote::~PinnedNote() {
    juce::Desktop::getInstance().removeGlobalMouseListener(this);
    tip_.include.onClick = tip_.notThis.onClick = nullptr;
}

void PinnedNote::show(const HoverText& text, juce::Point<int> position,
                      const std::optional<detection::Event>& span) {
    span_ = span;
    threshold_ = text.includes;
    rules_ = viewModel_.eventSettings();
    tip_.include.setVisible(threshold_ > 0.0f);
    tip_.notThis.setVisible(span && isTaught && isTaught(span->classIndex));
    tip_.show(text, position, true);
}

void PinnedNote::close() {
    if (isOpen()) tip_.hide();
}

void PinnedNote::historyChanged() {
    if (isOpen() && viewModel_.eventSettings() != rules_) close();
}

bool PinnedNote::include() {
    if (!isOpen() || !span_ || !(threshold_ > 0.0f)) return false;
    const auto name = viewModel_.label(span_->classIndex);
    const float threshold = threshold_;
    close();
    controller_.view().edit(
        [&](ViewSettings& settings) { settings.classThresholds[name.toStdString()] = threshold; });
    viewModel_.update();
    if (onIncluded)
        onIncluded("Threshold of " + name + " set to " + juce::String(threshold, 2) + " (undo: Ctrl+Z)");
    return true;
}

// A click in the timeline is the timeline's.
void PinnedNote::mouseDown(const juce::MouseEvent& event) {
    if (event.eventComponent == nullptr || event.eventComponent == &view_ ||
        view_.isParentOf(event.eventComponent))
        return;
    catchAll([this] { close(); });
}

} // namespace earshot::ui
