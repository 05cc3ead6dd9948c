// Keys, the manual, and what this program is: version, licences, log. Over the right part of the view.
// Message thread.
#pragma once

#include "Ui/Control/ShellControl.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/SidePanel.h"

namespace earshot::ui {

class HelpPanel : public SidePanel {
  public:
    HelpPanel(ShellControl& shell, HistoryViewModel& viewModel);

  private:
    void historyChanged(const HistoryViewModel::Changes& changes) override;
    void showModel();

    HistoryViewModel& viewModel_;
    NonThrowing<juce::TextButton> manual_{"Open the manual"};
    NonThrowing<juce::TextButton> log_{"Open log"};
    Caption* model_ = nullptr;
};

} // namespace earshot::ui
