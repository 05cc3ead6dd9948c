#include "Ui/Panels/ExportButtons.h"

namespace earshot::ui {

class ExportButtons::DragButton : public juce::TextButton {
  public:
    explicit DragButton(ExportButtons& owner)
        : juce::TextButton("Drag to track")
        , owner_(owner) {
        describeWithTooltip(*this, "Drag to track",
                            "Drag to a track in your DAW to insert the events as MIDI notes");
        setMouseCursor(juce::MouseCursor::DraggingHandCursor);
    }

    void mouseDrag(const juce::MouseEvent& event) override {
        juce::TextButton::mouseDrag(event);
        if (dragging_ || event.getDistanceFromDragStart() < 6 || !isEnabled()) return;
        dragging_ = true;
        if (owner_.onDrag) owner_.onDrag();
    }

    void mouseUp(const juce::MouseEvent& event) override {
        dragging_ = false;
        juce::TextButton::mouseUp(event);
    }

  private:
    ExportButtons& owner_;
    bool dragging_ = false;
};

ExportButtons::ExportButtons()
    : drag_(std::make_unique<NonThrowing<DragButton>>(*this)) {
    describe(*this, "Export");
    // Dragging needs a pointer. Saving a MIDI file does the same.
    drag_->onClick = [this] {
        if (onExport) onExport(*formats::formatNamed("midi"));
    };
    addAndMakeVisible(*drag_);
    describeWithTooltip(save_, "Export events",
                        "Save the listed events, or only the selected ones when there are several (Ctrl+E)");
    save_.onClick = [this] { showMenu(); };
    addAndMakeVisible(save_);
}

ExportButtons::~ExportButtons() = default;

void ExportButtons::setFormatsEnabled(bool enabled) {
    formats_ = enabled;
    drag_->setEnabled(enabled);
    save_.setEnabled(enabled || (canTable && canTable()));
}

juce::PopupMenu ExportButtons::menu() {
    juce::PopupMenu menu;
    menu.addSectionHeader("Export the events");
    const juce::Component::SafePointer<ExportButtons> self(this);
    for (const auto& format : formats::allFormats())
        menu.addItem(toText(std::string(format.title)) + " (" + format.extension() + ")...", formats_, false,
                     [self, &format] {
                         if (self != nullptr && self->onExport)
                             catchAll(*self, [&] { self->onExport(format); });
                     });
    menu.addSeparator();
    menu.addItem("Cut events out as audio files...", formats_ && canCut && canCut(), false, [self] {
        if (self != nullptr && self->onCut) catchAll(*self, [&] { self->onCut(); });
    });
    menu.addItem("Review as a CSV table...", formats_ && canReview && canReview(), false, [self] {
        if (self != nullptr && self->onReview) catchAll(*self, [&] { self->onReview(); });
    });
    if (canTable && canTable())
        menu.addItem("One table of all recordings (.csv)...", [self] {
            if (self != nullptr && self->onTable) catchAll(*self, [&] { self->onTable(); });
        });
    return menu;
}

void ExportButtons::showMenu() { ui::showMenu(menu(), save_); }

void ExportButtons::resized() {
    auto area = getLocalBounds();
    drag_->setBounds(area.removeFromLeft(dragWidth));
    save_.setBounds(area.removeFromRight(saveWidth));
}

} // namespace earshot::ui
