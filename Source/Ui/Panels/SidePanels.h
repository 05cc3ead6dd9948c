// The panels over the right part of the view: settings, teaching and recordings. At most one is open, and
// only that one exists. Message thread.
#pragma once

#include "Ui/HistoryViewModel.h"
#include "Ui/Panels/MainLayout.h"
#include "Ui/Panels/SidePanel.h"
#include "Ui/Recordings/FoundTable.h"

#include <functional>
#include <memory>

namespace earshot::ui {

enum class Side { settings, teaching, recordings, help };

class SidePanels {
  public:
    // view: the component that they lie over; it calls place() when it is resized.
    SidePanels(juce::Component& view, Controller& controller, HistoryViewModel& viewModel);
    ~SidePanels();

    bool shows(Side side) const { return panel_ != nullptr && side_ == side; }
    void open(Side side); // in place of another; the panel gets the keyboard
    void toggle(Side side);
    bool close();      // The view gets the keyboard. Returns whether a panel was open.
    bool focus();      // The open panel gets the keyboard. Returns whether one is open.
    int width() const; // of the open panel where there is room, logical pixels; 0: none is open
    void place(const MainLayout& layout);
    void showOpenRecording(); // Call it when another recording is open, or none.
    // For the view: the Tab key goes to nothing that the open panel covers. The panel is walked by itself.
    std::unique_ptr<juce::ComponentTraverser> traverser() const;

    // Asked for in the table of all recordings.
    std::function<void(const FoundEvent&)> onGoTo;
    std::function<void(const FoundEvent&)> onPlay; // or stop

  private:
    std::unique_ptr<SidePanel> make(Side side);

    juce::Component& view_;
    Controller& controller_;
    HistoryViewModel& viewModel_;
    std::unique_ptr<SidePanel> panel_; // null: none is open
    Side side_ = Side::settings;       // which one `panel_` is
};

} // namespace earshot::ui
