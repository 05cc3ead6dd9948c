// One lane for each sound that has an event or a near miss in view: its name, its cells under the ruler, and
// its events. Words stand on top, and a row below opens the lanes of all other sounds. It draws and scrolls;
// TimelineView handles the pointer and the keys. Message thread.
#pragma once

#include "Core/Detection/Events/Events.h"
#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/TimeAxis.h"
#include "Ui/Timeline/LaneImage.h"
#include "Ui/Timeline/LaneMarks.h"
#include "Ui/Timeline/LaneOrder.h"
#include "Ui/Timeline/MoreLanes.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::ui {

class LanesView : public juce::Component, private juce::Timer, private juce::ScrollBar::Listener {
  public:
    static constexpr int pitch = 39;      // logical pixels from lane to lane
    static constexpr int cellHeight = 36; // logical pixels

    LanesView(Controller& controller, HistoryViewModel& viewModel, TimeAxis& axis);

    void historyChanged(const HistoryViewModel::Changes& changes);
    // Lights the names of what sounds: now, or where the open recording plays.
    void updateSounding();
    void setSearch(const juce::String& text);
    void arrange(); // Call it when the view state or the order changed: lanes glide to their places.
    void axisMoved();
    void toggleQuiet(); // shows the lanes of sounds without events in view, or hides them

    const std::vector<int>& lanes() const { return lanes_; } // class indices, top to bottom
    int laneAt(int y) const;                                 // class index, -1 where there is none
    juce::Rectangle<int> laneBounds(int classIndex) const;   // the whole lane; empty when it is not shown
    juce::Rectangle<int> cells() const { return getLocalBounds().withTrimmedLeft(size::laneNames); }
    bool onPin(juce::Point<int> position) const; // whether the position is on the pin mark

    void scrollBy(float pixels);
    void scrollTo(int classIndex);
    void select(int classIndex); // -1: none
    int selected() const { return selected_; }
    void selectBy(int lanes); // down is positive
    void setHovered(int classIndex);
    // Outlines a span until the next call; classIndex -1 outlines none.
    void outline(int classIndex, double onset, double offset);
    const std::optional<detection::Event>& outlined() const { return outline_; } // the span alone
    juce::String emptyText() const; // the text for a view without lanes; empty if there are lanes
    // What can be done with the search's text, in a row above the lanes; empty if there is no such row.
    const juce::String& hint() const { return hint_; }
    juce::String soundingText() const;
    // "≥ 0.35", and whether the user chose it; empty where no threshold counts.
    juce::String thresholdText(int lane) const;

    void paint(juce::Graphics& graphics) override;
    void resized() override;
    void lookAndFeelChanged() override { image_.clear(); }
    std::unique_ptr<juce::AccessibilityHandler> createAccessibilityHandler() override;

  private:
    void timerCallback() override;
    void tick();
    void scrollBarMoved(juce::ScrollBar* bar, double start) override;
    void follow(const HistoryViewModel::Changes& changes);
    void restart();
    void updateScroll();
    void placeRow();
    juce::String searchHint(bool found) const;
    float firstLane() const { return hint_.isEmpty() ? 0.0f : pitch; } // its top in the content
    float slotTop(std::size_t slot) const; // logical pixels from the content's top
    float top(int classIndex) const;       // the same of a lane, gliding
    std::vector<bool> activeLanes() const;
    void arrangeIfOthersAreActive();
    detection::SoundFamily family(int classIndex) const { return families_[at(classIndex)]; }
    void paintCells(juce::Graphics& graphics, const PixelGrid& grid, const Palette& palette);
    void paintGrid(juce::Graphics& graphics, const PixelGrid& grid, std::span<const LaneImage::Row> rows,
                   const Palette& palette);
    void paintNames(juce::Graphics& graphics, const Palette& palette);
    void paintEmpty(juce::Graphics& graphics, const Palette& palette) const;
    void paintHint(juce::Graphics& graphics, const Palette& palette) const;

    Controller& controller_;
    HistoryViewModel& viewModel_;
    TimeAxis& axis_;
    juce::ScrollBar bar_{true};
    LaneOrder order_;
    LaneImage image_;
    LaneMarks marks_;
    Review review_;
    NonThrowing<MoreLanes> more_;
    juce::String search_;
    juce::String hint_;
    std::string selectedName_; // finds the chosen lane again in a new stream
    std::vector<int> lanes_;
    std::vector<bool> active_; // by class: it has a lane whatever the view state says of quiet ones
    std::size_t loud_ = 0;     // lanes above the row of the others
    int quiet_ = 0;            // sounds behind that row; 0: there is no row
    std::vector<detection::SoundFamily> families_; // by class
    std::vector<float> from_, to_; // by class: where a lane's glide began and ends; -1 while it is not shown
    std::vector<bool> sounding_;   // by class
    std::int64_t heard_ = 0;       // columns that the order has taken in
    bool whole_ = false;           // the order is that of a recording that has ended
    double glideStart_ = -1.0;     // seconds; -1 while nothing glides
    float scroll_ = 0.0f;          // logical pixels
    int selected_ = -1;
    int hovered_ = -1;
    std::optional<detection::Event> outline_;
};

} // namespace earshot::ui
