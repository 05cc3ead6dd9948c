// Goes to an event: shows its time and its lane, and plays from there. Message thread.
#pragma once

#include "Core/Detection/Events/Events.h"
#include "Ui/Control/PlaybackControl.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/Recordings/FoundTable.h"
#include "Ui/TimeAxis.h"
#include "Ui/TimelineView.h"

#include <optional>

namespace earshot::ui {

class GoTo {
  public:
    GoTo(PlaybackControl& playback, HistoryViewModel& viewModel, TimeAxis& axis, TimelineView& timeline);

    void operator()(const detection::Event& event); // of what is shown
    // Opens its recording if another is shown. The event is shown as soon as the recording is heard that far.
    void operator()(const FoundEvent& found);
    void historyChanged(); // Call it when the view model changed.

  private:
    void show(int classIndex, double onset, double offset); // seconds
    void play(double onset);

    PlaybackControl& playback_;
    HistoryViewModel& viewModel_;
    TimeAxis& axis_;
    TimelineView& timeline_;
    std::optional<FoundEvent> sought_;  // not heard yet
    double start_ = 0.0, wanted_ = 0.0; // the axis then: whoever moves it gives sought_ up
};

} // namespace earshot::ui
