// The spectrogram over the lanes, with frequencies at its left. Draws only. Message thread.
#pragma once

#include "Core/Frontend/MelFilterBank.h"
#include "Core/Streaming/SpectrogramHistory.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/Theme.h"
#include "Ui/TimeAxis.h"
#include "Ui/Timeline/PixelGrid.h"

#include <juce_graphics/juce_graphics.h>
#include <juce_gui_basics/juce_gui_basics.h>

#include <vector>

namespace earshot::ui {

// The spectrogram as an image in physical pixels, scrolled and painted only where it is new, like the lanes.
// A pixel shows the largest value of its frames; bands are drawn one by one. Message thread.

// Where frequencies lie in the strip of the spectrogram.
frontend::MelImage imageOf(const streaming::SpectrogramHistory& history);

class SpectrogramStrip {
  public:
    void clear();
    void update(const streaming::SpectrogramHistory& history, const PixelGrid& grid, int height,
                const Palette& palette);
    const juce::Image& image() const { return image_; }

  private:
    void paint(const streaming::SpectrogramHistory& history, int from, int to, const Palette& palette);

    juce::Image image_;
    PixelGrid grid_;
    const Palette* palette_ = nullptr;
    std::int64_t frames_ = 0; // painted so far
    std::int64_t kept_ = 0;   // the first kept frame
    int bands_ = 0;
    std::vector<std::uint8_t> column_;    // (bands)
    std::vector<juce::PixelRGB> colours_; // (bands, pixels painted)
};

class SpectrogramView : public juce::Component {
  public:
    SpectrogramView(HistoryViewModel& viewModel, TimeAxis& axis);

    void historyChanged(const HistoryViewModel::Changes& changes);
    juce::Rectangle<int> strip() const { return getLocalBounds().withTrimmedLeft(size::laneNames); }
    double hertzAt(int y) const;

    void paint(juce::Graphics& graphics) override;
    void lookAndFeelChanged() override { image_.clear(); }

  private:
    void paintFrequencies(juce::Graphics& graphics, const Palette& palette) const;

    HistoryViewModel& viewModel_;
    TimeAxis& axis_;
    SpectrogramStrip image_;
};

} // namespace earshot::ui
