#include "Ui/Panels/ExportButtons.h"

namespace earshot::ui {

namespace {

// The formats' table says which have a button.
std::vector<const formats::EventFormat*> choices() {
    std::vector<const formats::EventFormat*> chosen;
    for (const auto& format : formats::allFormats())
        if (!format.button.empty()) chosen.push_back(&format);
    return chosen;
}

constexpr int width = 78;
constexpr int space = 6;
constexpr int dragWidth = 100;

} // namespace

// Only a drag does something: pressing it says so.
class ExportButtons::DragButton : public juce::TextButton {
  public:
    explicit DragButton(ExportButtons& owner)
        : juce::TextButton("Drag to track")
        , owner_(owner) {
        describeWithTooltip(*this, "Drag to track",
                            "Drag from here to a track of your DAW: the events arrive as MIDI notes");
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
    : drag_(std::make_unique<Safe<DragButton>>(*this)) {
    describe(*this, "Export");
    // Without a pointer there is nothing to drag: saving a MIDI file does the same.
    drag_->onClick = [this] {
        if (onExport) onExport(*formats::formatNamed("midi"));
    };
    addAndMakeVisible(*drag_);
    for (const auto* format : choices()) {
        auto& button = *buttons_.emplace_back(std::make_unique<Safe<juce::TextButton>>());
        button.setButtonText(toText(std::string(format->button)));
        describeWithTooltip(button, "Export as " + toText(std::string(format->button)),
                            "Save the listed events as " + toText(std::string(format->holds)) +
                                " (only the selected ones when there are several)");
        button.onClick = [this, format] {
            if (onExport) onExport(*format);
        };
        addAndMakeVisible(button);
    }
    describeWithTooltip(more_, "Export", "Save the listed events as a file (Ctrl+E)");
    more_.onClick = [this] { showMenu(); };
    addChildComponent(more_);
}

ExportButtons::~ExportButtons() = default;

int ExportButtons::idealWidth() const {
    return dragWidth + static_cast<int>(buttons_.size()) * (width + space);
}
int ExportButtons::menuWidth() const { return dragWidth + space + width; }

void ExportButtons::setFormatsEnabled(bool enabled) {
    drag_->setEnabled(enabled);
    more_.setEnabled(enabled);
    for (const auto& button : buttons_) button->setEnabled(enabled);
}

juce::PopupMenu ExportButtons::menu() {
    juce::PopupMenu menu;
    menu.addSectionHeader("Export the events");
    const juce::Component::SafePointer<ExportButtons> self(this);
    for (const auto* format : choices())
        menu.addItem(toText(std::string(format->button)) + " (" + format->extension() + ")...",
                     more_.isEnabled(), false, [self, format] {
                         if (self != nullptr && self->onExport)
                             guarded(*self, [&] { self->onExport(*format); });
                     });
    return menu;
}

void ExportButtons::showMenu() {
    auto* target = more_.isVisible() ? static_cast<juce::Component*>(&more_) : this;
    ui::showMenu(menu(), *target);
}

void ExportButtons::resized() {
    auto area = getLocalBounds();
    const bool all = getWidth() >= idealWidth();
    drag_->setBounds(area.removeFromLeft(dragWidth));
    for (const auto& button : buttons_) {
        button->setVisible(all);
        if (!all) continue;
        area.removeFromLeft(space);
        button->setBounds(area.removeFromLeft(width));
    }
    more_.setVisible(!all);
    area.removeFromLeft(space);
    if (!all) more_.setBounds(area.removeFromLeft(width));
}

} // namespace earshot::ui
