#include "Ui/Panels/ExportButtons.h"

namespace earshot::ui {

namespace {

using formats::EventFormat;

struct Choice {
    EventFormat format;
    const char* name;
    const char* help;
};

constexpr std::array<Choice, 4> choices{{
    {EventFormat::audacity, "Audacity", "Save the listed events as a label track for Audacity"},
    {EventFormat::csv, "CSV", "Save the listed events as a table"},
    {EventFormat::midi, "MIDI", "Save the listed events as notes of a MIDI file"},
    {EventFormat::json, "JSON", "Save the listed events as JSON"},
}};

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
        if (onExport) onExport(EventFormat::midi);
    };
    addAndMakeVisible(*drag_);
    for (std::size_t i = 0; i < choices.size(); ++i) {
        formats_[i].setButtonText(choices[i].name);
        describeWithTooltip(formats_[i], juce::String("Export as ") + choices[i].name,
                            juce::String(choices[i].help) +
                                " (only the selected ones when there are several)");
        formats_[i].onClick = [this, i] {
            if (onExport) onExport(choices[i].format);
        };
        addAndMakeVisible(formats_[i]);
    }
    describeWithTooltip(more_, "Export", "Save the listed events as a file (Ctrl+E)");
    more_.onClick = [this] { showMenu(); };
    addChildComponent(more_);
}

ExportButtons::~ExportButtons() = default;

int ExportButtons::idealWidth() const { return dragWidth + 4 * (width + space); }
int ExportButtons::menuWidth() const { return dragWidth + space + width; }

void ExportButtons::setFormatsEnabled(bool enabled) {
    drag_->setEnabled(enabled);
    more_.setEnabled(enabled);
    for (auto& button : formats_) button.setEnabled(enabled);
}

juce::PopupMenu ExportButtons::menu() {
    juce::PopupMenu menu;
    menu.addSectionHeader("Export the events");
    const juce::Component::SafePointer<ExportButtons> self(this);
    for (const auto& choice : choices)
        menu.addItem(juce::String(choice.name) + " (" + formats::extension(choice.format) + ")...",
                     more_.isEnabled(), false, [self, format = choice.format] {
                         if (self != nullptr && self->onExport)
                             guarded(*self, [&] { self->onExport(format); });
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
    for (auto& button : formats_) {
        button.setVisible(all);
        if (!all) continue;
        area.removeFromLeft(space);
        button.setBounds(area.removeFromLeft(width));
    }
    more_.setVisible(!all);
    area.removeFromLeft(space);
    if (!all) more_.setBounds(area.removeFromLeft(width));
}

} // namespace earshot::ui
