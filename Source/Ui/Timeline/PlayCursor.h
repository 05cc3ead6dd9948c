// The line at the play position of the open recording, over all views. It follows the player, and turns the
// page where the position leaves the view. Times are seconds of the recording. Message thread.
#pragma once

#include "Ui/Control/PlaybackControl.h"
#include "Ui/TimeAxis.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <functional>

namespace earshot::ui {

class PlayCursor : public juce::Component, private juce::Timer {
  public:
    PlayCursor(PlaybackControl& playback, TimeAxis& axis);

    // The player of the open recording; null if it cannot be played.
    streaming::FilePlayer* player() const;
    double seconds() const { return seconds_; } // where it was last shown
    std::function<void()> onFollow;             // Called many times a second while a recording is open.
    void place();                               // Call it when the time axis or the parent's size changed.

    void paint(juce::Graphics& graphics) override;

  private:
    void timerCallback() override;
    void follow();

    PlaybackControl& playback_;
    TimeAxis& axis_;
    double seconds_ = 0.0;
};

} // namespace earshot::ui
