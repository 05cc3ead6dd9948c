// The mark as it is drawn over spectrogram and lanes: a band with a handle at each end and its length. It
// takes no mouse events. Message thread.
#pragma once

#include "Ui/TimeAxis.h"
#include "Ui/Timeline/Mark.h"
#include "Ui/Timeline/MarkedSpan.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <optional>

namespace earshot::ui {

// "0.84 s"
juce::String lengthText(double seconds);

// The part of a mark that is in view, in whole logical pixels of the plot's height; empty where none is.
juce::Rectangle<int> markOn(juce::Rectangle<int> plot, const TimeAxis& axis, const Mark& mark);

// The end whose handle is at a point, the nearer one where both are.
std::optional<Mark::End> handleAt(juce::Rectangle<int> plot, const TimeAxis& axis, const Mark& mark,
                                  juce::Point<int> position);

class MarkBand : public juce::Component {
  public:
    MarkBand();

    // plot: where times are shown, in the parent's coordinates. Without a part in view there is no band.
    // rows: where its frequencies are shown; may be empty. frequencies: their text.
    void show(juce::Rectangle<int> plot, const TimeAxis& axis, const Mark& mark, juce::Range<int> rows = {},
              const juce::String& frequencies = {});

    void paint(juce::Graphics& graphics) override;

  private:
    juce::Range<int> rows_;
    juce::Rectangle<int> band_; // in its own coordinates, like the handles
    std::optional<int> left_, right_;
    juce::String text_;
};

} // namespace earshot::ui
