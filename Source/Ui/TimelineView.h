// Ruler, spectrogram and lanes under one time axis, the tip at the pointer, and the mark that sounds are
// taught from. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/Panels/StatusText.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/TimeAxis.h"
#include "Ui/Timeline/Mark.h"
#include "Ui/Timeline/MarkedSpan.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace earshot::ui {

class TimelineView : public FocusRing<juce::Component> {
  public:
    TimelineView(Controller& controller, HistoryViewModel& viewModel, TimeAxis& axis);
    ~TimelineView() override;

    // Shows the lanes whose name or AudioSet group contains the text. An empty text shows all that are not
    // hidden.
    void setSearch(const juce::String& text);
    // Tells the axis how far the stream goes. Call it after the axis is reset.
    void showEnd();
    // Scrolls to a class's lane and outlines the span.
    void reveal(int classIndex, double onset, double offset);

    // Called when the pointer comes to another time of what was heard, and without one when it leaves. moved:
    // the pointer moved; otherwise the timeline did.
    std::function<void(std::optional<double> seconds, bool moved)> onPointer;
    // Called while a recording plays, with the position in seconds, and without one when it stops.
    std::function<void(std::optional<double> seconds)> onPlay;

    // Marks a span of a class, for the user to name it.
    void nameSpan(const detection::Event& event);
    void clearMark();
    const Mark& mark() const;
    std::optional<MarkedSpan> markedSpan() const;
    void restoreMark(const std::optional<MarkedSpan>& span);
    // The name that its lane proposes; empty if it was marked in the spectrogram.
    juce::String markName() const;
    // What a component beside the mark leaves free: its span in the lane or spectrogram where it was made.
    juce::Rectangle<int> markPlace() const;
    std::function<void(MarkNews)> onMark;
    std::function<void(const juce::String&, Tone)> onNotice;
    // The context menu at a point.
    juce::PopupMenu menuAt(juce::Point<int> position);
    // That of the chosen lane and its chosen event, which keys open.
    juce::PopupMenu menuOfChosen();

    // The lines of the tip at the pointer; empty if there is none.
    juce::String hoverText() const;
    // Class indices of the lanes, top to bottom, with those that are scrolled out of view.
    const std::vector<int>& lanes() const;

    void paint(juce::Graphics& graphics) override;
    void resized() override;
    void lookAndFeelChanged() override;
    void mouseMove(const juce::MouseEvent& event) override;
    void mouseExit(const juce::MouseEvent& event) override;
    void mouseDown(const juce::MouseEvent& event) override;
    void mouseDrag(const juce::MouseEvent& event) override;
    void mouseUp(const juce::MouseEvent& event) override;
    void mouseDoubleClick(const juce::MouseEvent& event) override;
    void mouseWheelMove(const juce::MouseEvent& event, const juce::MouseWheelDetails& wheel) override;
    void mouseMagnify(const juce::MouseEvent& event, float factor) override;
    bool keyPressed(const juce::KeyPress& key) override;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::ui
