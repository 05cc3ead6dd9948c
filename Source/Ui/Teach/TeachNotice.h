// What the notice bar says of examples: that one was added, with a button that trains once that is possible,
// or why it was not. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/Panels/NoticeBar.h"

#include <functional>

namespace earshot::ui {

class TeachNotice {
  public:
    TeachNotice(Controller& controller, const HistoryViewModel& viewModel, NoticeBar& notice);

    void update(); // Call it when the view model's teaching changed.

    std::function<void()> onTrain; // training begins

  private:
    void showRefusal();
    void showExample(const TaughtSound& sound);
    void train();

    Controller& controller_;
    const HistoryViewModel& viewModel_;
    NoticeBar& notice_;
    int refusals_;       // Teaching::refusals that were shown
    int edits_;          // TeachingControl::edits() when it was asked last
    bool added_ = false; // an edit was begun that was not shown yet
    std::vector<TaughtSound> sounds_;
};

} // namespace earshot::ui
