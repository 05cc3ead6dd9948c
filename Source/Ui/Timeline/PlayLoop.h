// Plays a stretch of the open recording again and again: an event, or the mark. Message thread.
#pragma once

#include "Ui/Control/PlaybackControl.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/TimelineView.h"

#include <juce_core/juce_core.h>

namespace earshot::ui {

class PlayLoop {
  public:
    PlayLoop(PlaybackControl& playback, const HistoryViewModel& viewModel, const TimelineView& timeline)
        : playback_(playback)
        , viewModel_(viewModel)
        , timeline_(timeline) {}

    // Each returns why nothing is played: a sentence, or an empty text.
    juce::String playOrStop(double onset, double offset); // seconds
    juce::String toggle(); // loops the mark from its beginning, or ends the loop

  private:
    PlaybackControl& playback_;
    const HistoryViewModel& viewModel_;
    const TimelineView& timeline_;
};

} // namespace earshot::ui
