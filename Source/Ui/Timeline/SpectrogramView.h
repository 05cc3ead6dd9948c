// The spectrogram over the lanes, with frequencies at its left, and the button that chooses which of them are
// shown, and with which contrast. Message thread.
#pragma once

#include "Core/Frontend/MelFilterBank.h"
#include "Core/Streaming/SpectrogramHistory.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Theme.h"
#include "Ui/TimeAxis.h"
#include "Ui/Timeline/PixelGrid.h"
#include "Ui/ViewState.h"

#include <juce_graphics/juce_graphics.h>
#include <juce_gui_basics/juce_gui_basics.h>

#include <vector>

namespace earshot::ui {

// The spectrogram as an image in physical pixels, scrolled and painted only where it is new, like the lanes.
// A pixel shows the largest value of its frames; bands are drawn one by one. Message thread.

// Where frequencies lie in the strip of the spectrogram.
frontend::MelImage imageOf(const streaming::SpectrogramHistory& history);

// What is shown of a spectrogram.
struct SpectrogramRange {
    // Places in the picture of all its bands, from 0 at the top to 1 at the bottom.
    double top = 0.0, bottom = 1.0;
    int contrast = 0; // -1, 0 or 1

    // What the view's settings choose, as far as the spectrogram has it. At least one band.
    static SpectrogramRange of(const ViewSettings& view, const streaming::SpectrogramHistory& history);
    // The place of a point of the view, which is 0 at its top and 1 at its bottom; and the other way round.
    double inside(double point) const { return top + point * (bottom - top); }
    double pointOf(double place) const { return (place - top) / (bottom - top); }

    bool operator==(const SpectrogramRange&) const = default;
};

class SpectrogramStrip {
  public:
    void clear();
    void update(const streaming::SpectrogramHistory& history, const PixelGrid& grid, int height,
                const SpectrogramRange& range, const Palette& palette);
    const juce::Image& image() const { return image_; }

  private:
    void paint(const streaming::SpectrogramHistory& history, int from, int to, const Palette& palette);

    juce::Image image_;
    PixelGrid grid_;
    const Palette* palette_ = nullptr;
    std::int64_t frames_ = 0; // painted so far
    std::int64_t kept_ = 0;   // the first kept frame
    int bands_ = 0;
    SpectrogramRange range_;
    std::vector<std::uint8_t> column_;    // (bands)
    std::vector<juce::PixelRGB> colours_; // (bands, pixels painted)
};

class SpectrogramView : public juce::Component {
  public:
    SpectrogramView(ViewState& view, HistoryViewModel& viewModel, TimeAxis& axis);

    void historyChanged(const HistoryViewModel::Changes& changes);
    juce::Rectangle<int> strip() const { return getLocalBounds().withTrimmedLeft(size::laneNames); }
    double hertzAt(int y) const;
    int yOf(double hertz) const; // may lie outside
    juce::PopupMenu menu();      // of frequencies and contrast

    void paint(juce::Graphics& graphics) override;
    void resized() override;
    void lookAndFeelChanged() override { image_.clear(); }

  private:
    SpectrogramRange range() const;
    void addFrequencies(juce::PopupMenu& menu);
    void addContrasts(juce::PopupMenu& menu);
    void paintFrequencies(juce::Graphics& graphics, const Palette& palette) const;

    ViewState& view_;
    HistoryViewModel& viewModel_;
    TimeAxis& axis_;
    SpectrogramStrip image_;
    NonThrowing<MenuCaption> options_{"Spectrogram"};
};

} // namespace earshot::ui
