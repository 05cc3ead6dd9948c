// Events out to other programs: dragged as MIDI, or saved. Where there is little room, one button with a
// menu. Message thread.
#pragma once

#include "Core/Formats/EventFormats.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Safe.h"

#include <functional>
#include <vector>

namespace earshot::ui {

class ExportButtons : public juce::Component {
  public:
    ExportButtons();
    ~ExportButtons() override;

    int idealWidth() const; // of all of them
    int menuWidth() const;  // of drag and menu
    void setFormatsEnabled(bool enabled);
    void showMenu();
    juce::PopupMenu menu();

    std::function<void(const formats::EventFormat&)> onExport;
    std::function<void()> onDrag; // the pointer is down and has moved

    void resized() override;

  private:
    class DragButton;

    std::unique_ptr<DragButton> drag_;
    std::vector<std::unique_ptr<juce::TextButton>> buttons_; // of the formats that have one
    Safe<juce::TextButton> more_{"Export"};
};

} // namespace earshot::ui
