// What the notice bar says of lasting states. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/Panels/StatusText.h"

#include <juce_core/juce_core.h>

namespace earshot::ui {

struct StandingNotice {
    juce::String text; // empty: there is nothing to say
    Tone tone = Tone::idle;
};

StandingNotice standingNotice(Controller& controller, const HistoryViewModel& viewModel);
// Whether the app has nothing to show yet.
bool isEmptyApp(Controller& controller, const HistoryViewModel& viewModel);

} // namespace earshot::ui
