// Marks a stretch of the timeline, from the mouse and the keys: what is marked, in which lane or at which
// frequencies of the spectrogram, and the band that shows it. Times are stream seconds; positions are logical
// pixels of the view. Message thread.
#pragma once

#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/StatusText.h"
#include "Ui/TimeAxis.h"
#include "Ui/Timeline/Mark.h"
#include "Ui/Timeline/MarkBand.h"
#include "Ui/Timeline/MarkedSpan.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <functional>
#include <optional>

namespace earshot::ui {

class LanesView;
class SpectrogramView;

class Marking {
  public:
    // view: the parent of lanes, spectrogram and band.
    Marking(juce::Component& view, HistoryViewModel& viewModel, TimeAxis& axis, const LanesView& lanes,
            const SpectrogramView& spectrogram);

    const Mark& mark() const { return mark_; }
    // The name that its lane proposes; empty if it was marked in the spectrogram.
    juce::String name() const { return viewModel_.label(classIndex_); }
    std::optional<MarkedSpan> span() const; // class -1: it was made in the spectrogram
    // Its span in the lane or spectrogram where it was made.
    juce::Rectangle<int> place() const;
    bool isAt(juce::Point<int> position) const;

    void historyChanged(const HistoryViewModel::Changes& changes);
    void placeBand(); // Call it when the time axis or the view's size changed.

    void markSpan(const MarkedSpan& span); // in the lane of its class
    void askName();
    void clear();

    // Returns whether a drag from here marks or changes the mark.
    bool press(const juce::MouseEvent& event);
    void drag(const juce::MouseEvent& event);
    // Returns whether the mouse had the mark, so that a click means nothing else.
    bool release(const juce::MouseEvent& event);
    // Shows by the mouse cursor whether an end of the mark can be taken here.
    void point(std::optional<juce::Point<int>> position);
    // Returns false for a key that means nothing to the mark, and for all keys while there is none.
    bool key(const juce::KeyPress& press);

    NonThrowing<MarkBand> band;
    std::function<void(MarkNews)> onMark;
    std::function<void(const juce::String&, Tone)> onNotice;

  private:
    juce::Rectangle<int> plot() const;  // spectrogram and lanes, under their time axis
    juce::Rectangle<int> reach() const; // where ends of the mark can be taken: with the ruler
    HertzRange frequenciesBetween(int y, int other) const; // of the view
    void show(MarkNews news);
    void moveEnd(Mark::End end, double seconds);
    void showHandleCursor(bool handle);
    void notify(MarkNews news) const;

    juce::Component& view_;
    HistoryViewModel& viewModel_;
    TimeAxis& axis_;
    const LanesView& lanes_;
    const SpectrogramView& spectrogram_;
    Mark mark_;
    HertzRange frequencies_;
    bool pressedInSpectrogram_ = false;
    int classIndex_ = -1; // the class in whose lane the mark was made
    enum class Drag { nothing, newMark, mark } drag_ = Drag::nothing;
    bool drawsNew_ = false;  // the mark that is dragged is not told of yet
    double pressedAt_ = 0.0; // seconds under the pointer, when it went down
};

} // namespace earshot::ui
