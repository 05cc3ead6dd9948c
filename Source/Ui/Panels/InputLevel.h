// How loud the newest audio is, as a small bar. It comes from the spectrogram, so that the audio thread
// measures nothing more. Message thread.
#pragma once

#include "Core/Streaming/SpectrogramHistory.h"

#include <juce_gui_basics/juce_gui_basics.h>

namespace earshot::ui {

// The loudest band within the last so many seconds, in dB; SpectrogramHistory::minDecibels if nothing was
// heard.
float newestDecibels(const streaming::SpectrogramHistory& history, double seconds);
// Whether so much was heard, and all of it is silent.
bool isSilent(const streaming::SpectrogramHistory& history, double seconds);

class InputLevel : public juce::Component {
  public:
    static constexpr int width = 56, height = 6; // logical pixels

    InputLevel();
    void show(float decibels);

    void paint(juce::Graphics& graphics) override;

  private:
    int filled_ = 0; // logical pixels
};

} // namespace earshot::ui
