// Events and near misses over a lane's cells. Events have a solid outline, near misses a dashed one that
// invites a question. Message thread.
#pragma once

#include "Core/Detection/Events/Events.h"
#include "Ui/Review.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/PixelGrid.h"

#include <juce_graphics/juce_graphics.h>

#include <vector>

namespace earshot::ui {

class LaneMarks {
  public:
    // Sorts a list by class once, for many paints.
    void set(const detection::EventList& list, int classes);

    // Whether an event or near miss of the class reaches into [start, end) seconds.
    bool any(int classIndex, double start, double end) const;

    // lane: the rectangle of its cells in logical pixels; its left edge is the grid's. Events that were
    // judged have a tick or a cross.
    void paint(juce::Graphics& graphics, juce::Rectangle<float> lane, int classIndex, const PixelGrid& grid,
               const juce::String& name, detection::SoundFamily family, const Palette& palette,
               const Review& review) const;

  private:
    struct Lane {
        std::vector<detection::Event> events; // by time, without overlap
        std::vector<detection::Event> misses;
    };
    std::vector<Lane> lanes_; // by class
};

// A tick for what is right, or a cross.
void paintVerdict(juce::Graphics& graphics, juce::Rectangle<float> area, bool right, const Palette& palette);

// Draws [onset, offset) with an event's outline, clipped to the lane.
juce::Rectangle<float> spanOn(const PixelGrid& grid, juce::Rectangle<float> lane, double onset,
                              double offset);

} // namespace earshot::ui
