// The spectrogram over the lanes, with frequencies at its left. Draws only. Message thread.
#pragma once

#include "Ui/TimeAxis.h"
#include "Ui/Timeline/SpectrogramStrip.h"
#include "Ui/Watcher.h"

#include <juce_gui_basics/juce_gui_basics.h>

namespace earshot::ui {

class SpectrogramView : public juce::Component {
  public:
    SpectrogramView(Watcher& watcher, TimeAxis& axis);

    void heardMore(const Watcher::Changes& changes);
    juce::Rectangle<int> strip() const { return getLocalBounds().withTrimmedLeft(size::laneNames); }
    double hertzAt(int y) const;

    void paint(juce::Graphics& graphics) override;
    void lookAndFeelChanged() override { image_.clear(); }

  private:
    void paintFrequencies(juce::Graphics& graphics, const Palette& palette) const;

    Watcher& watcher_;
    TimeAxis& axis_;
    SpectrogramStrip image_;
};

} // namespace earshot::ui
