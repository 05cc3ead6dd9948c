// The choice between thresholds and the model's confidence for the events of a recording. It is visible where
// the view model offers it. Message thread.
#pragma once

#include "Ui/HistoryViewModel.h"
#include "Ui/ViewState.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <vector>

namespace earshot::ui {

class ConfidenceSwitch : public juce::ToggleButton {
  public:
    ConfidenceSwitch(ViewState& view, const HistoryViewModel& viewModel);

    // Disables a control while events are chosen by confidence, with the reason as its tooltip, because only
    // thresholds read its value. The control must be there at each refresh().
    template <typename Control>
    void replaces(Control& control) {
        replaced_.push_back({control, control, control.getTooltip()});
    }
    // Shows what is offered and chosen. Returns whether the switch came or went.
    bool refresh();

  private:
    struct Replaced {
        juce::Component& control;
        juce::SettableTooltipClient& tip;
        juce::String help;
    };

    const HistoryViewModel& viewModel_;
    std::vector<Replaced> replaced_;
};

} // namespace earshot::ui
