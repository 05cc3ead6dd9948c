// The ways to take events to other programs: drag them as MIDI, or save them in a format of a menu. Message
// thread.
#pragma once

#include "Core/Formats/EventFormats.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/Widgets.h"

#include <functional>
#include <memory>

namespace earshot::ui {

class ExportButtons : public juce::Component {
  public:
    static constexpr int saveWidth = 84, dragWidth = 100, width = dragWidth + 6 + saveWidth; // logical pixels

    ExportButtons();
    ~ExportButtons() override;

    void setFormatsEnabled(bool enabled);
    void showMenu();
    juce::PopupMenu menu();

    std::function<void(const formats::EventFormat&)> onExport;
    std::function<void()> onCut;  // the events as audio files
    std::function<bool()> canCut; // a recording is open
    std::function<void()> onReview;
    std::function<bool()> canReview; // some event was judged
    std::function<void()> onTable;   // one of all recordings
    std::function<bool()> canTable;  // there are several
    std::function<void()> onDrag;    // Called when the pointer is down and has moved.

    void resized() override;

  private:
    class DragButton;

    std::unique_ptr<DragButton> drag_;
    bool formats_ = false; // there are events
    NonThrowing<juce::TextButton> save_{juce::CharPointer_UTF8("Export\xe2\x80\xa6")};
};

} // namespace earshot::ui
