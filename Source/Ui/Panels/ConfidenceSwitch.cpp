#include "Ui/Panels/ConfidenceSwitch.h"

#include "Ui/Panels/Widgets.h"

namespace earshot::ui {

ConfidenceSwitch::ConfidenceSwitch(ViewState& view, const HistoryViewModel& viewModel)
    : juce::ToggleButton("By confidence")
    , viewModel_(viewModel) {
    describeWithTooltip(*this, "Choose events by confidence",
                        "List the events that the model is most confident of, each with its own onset and "
                        "offset. Sensitivity, Release and Median are then not used.");
    setWantsKeyboardFocus(true);
    onClick = [this, &view] {
        view.edit([this](ViewSettings& settings) { settings.byConfidence = getToggleState(); });
        refresh();
    };
    setVisible(false);
}

bool ConfidenceSwitch::refresh() {
    const bool chosen = viewModel_.byConfidence();
    setToggleState(chosen, juce::dontSendNotification);
    for (auto& [control, tip, help] : replaced_) {
        const auto text =
            chosen ? juce::String("Events are chosen by confidence. Untick \"By confidence\" to use this.")
                   : help;
        control.setEnabled(!chosen);
        control.setHelpText(text);
        tip.setTooltip(text);
    }
    const bool moved = isVisible() != viewModel_.offersConfidence();
    setVisible(viewModel_.offersConfidence());
    return moved;
}

} // namespace earshot::ui
