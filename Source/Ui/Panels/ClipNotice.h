// Says in the notice bar how far events are cut out as audio files, and how it ended. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/Panels/NoticeBar.h"

namespace earshot::ui {

// A button that shows where a file lies.
NoticeBar::Action showFolder(ShellControl& shell, const juce::File& file);

class ClipNotice {
  public:
    ClipNotice(Controller& controller, const HistoryViewModel& viewModel, NoticeBar& notice);

    void update(); // Call it when the view model's clips changed.

  private:
    Controller& controller_;
    const HistoryViewModel& viewModel_;
    NoticeBar& notice_;
    int said_; // ClipProgress::work whose outcome was said
};

} // namespace earshot::ui
