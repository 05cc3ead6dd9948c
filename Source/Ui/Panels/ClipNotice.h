// Says in the notice bar how far events are cut out as audio files, and how it ended. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/Panels/NoticeBar.h"

namespace earshot::ui {

// A button that shows where a file lies.
NoticeBar::Action showFolder(ShellControl& shell, const juce::File& file);

// What the notice bar says of clips that are cut out, and of tables of all recordings. Message thread.
class ClipNotice {
  public:
    ClipNotice(Controller& controller, const HistoryViewModel& viewModel, NoticeBar& notice);

    void update(); // Call it when the view model's clips or recordings changed.

  private:
    Controller& controller_;
    const HistoryViewModel& viewModel_;
    NoticeBar& notice_;
    int said_;   // ClipProgress::work whose outcome was said
    int tables_; // JoinedTable::work, as said_
};

} // namespace earshot::ui
