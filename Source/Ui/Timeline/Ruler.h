// The times along the top: round numbers in the time that the user sees (the host's while it plays), with a
// mark where that time jumps, but not where the host changes its play rate. Ticks are pure functions; the
// view draws on the message thread.
#pragma once

#include "Core/Streaming/FilePlayer.h"
#include "Core/Streaming/TimeMap.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/TimeAxis.h"
#include "Ui/Timeline/PixelGrid.h"

#include <juce_core/juce_core.h>
#include <juce_gui_basics/juce_gui_basics.h>

#include <optional>
#include <vector>

namespace earshot::ui {

struct Tick {
    float x = 0.0f; // logical pixels from the grid's left edge
    juce::String text;
};

struct Ticks {
    std::vector<Tick> times;
    std::vector<float> jumps; // logical pixels
};

// began: when the time that is shown was 0, if that is known: then ticks are times of day.
Ticks ticksOn(const PixelGrid& grid, const streaming::TimeMap& times,
              const std::optional<WallTime>& began = {});

class Ruler : public juce::Component {
  public:
    Ruler(HistoryViewModel& viewModel, TimeAxis& axis);
    void setLoop(const std::optional<streaming::FilePlayer::Loop>& loop); // what is played in a loop
    void paint(juce::Graphics& graphics) override;

  private:
    HistoryViewModel& viewModel_;
    TimeAxis& axis_;
    std::optional<streaming::FilePlayer::Loop> loop_;
};

} // namespace earshot::ui
