// The text beside the pointer (pure functions over the view model), and the box that shows it. Message
// thread.
#pragma once

#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"

#include <juce_gui_basics/juce_gui_basics.h>

namespace earshot::ui {

struct HoverText {
    juce::String title;    // "Brass · 01:17.4 · 0.46"
    juce::String word;     // the text that is listened for, if it is not the name that the title shows
    juce::String detail;   // why there is no event, or the event's span; may be empty
    juce::String advice;   // what would let a near miss in; empty for anything else
    float includes = 0.0f; // the threshold that lets a near miss in; 0: none does

    bool operator==(const HoverText&) const = default;
};

// The name and text of a word's lane; empty for the model's own sounds.
HoverText wordText(const HistoryViewModel& viewModel, int classIndex);
HoverText laneText(const HistoryViewModel& viewModel, int classIndex, double seconds);
HoverText spectrogramText(const HistoryViewModel& viewModel, double seconds, double hertz);

// "Set this sound's threshold to 0.46 to include it."
juce::String letIn(const detection::NearMiss& miss);
// The threshold in that sentence, a little below the peak; 0 if another rule rejected it.
float thresholdFor(const detection::NearMiss& miss);

// Follows the pointer, or stays where the user pinned it. Only its buttons take mouse events.
class HoverTip : public juce::Component {
  public:
    HoverTip();

    // Shows it beside `pointer` (in the parent's coordinates), within the parent. A pinned tip shows the
    // advice too, and those buttons that were made visible.
    void show(const HoverText& text, juce::Point<int> pointer, bool pinned);
    void hide();
    juce::String text() const; // its lines; empty while it is hidden
    bool pinned() const { return pinned_; }

    void paint(juce::Graphics& graphics) override;
    void resized() override;

    NonThrowing<juce::TextButton> include{"Include it"}, notThis{"Not this"};

  private:
    juce::StringArray lines() const; // below the title
    bool acts() const { return pinned_ && (include.isVisible() || notThis.isVisible()); }

    HoverText text_;
    bool pinned_ = false;
};

} // namespace earshot::ui
