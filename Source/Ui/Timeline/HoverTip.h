// The box that follows the pointer, or stays where it was pinned. Takes no mouse events. Message thread.
#pragma once

#include "Ui/Timeline/HoverText.h"

#include <juce_gui_basics/juce_gui_basics.h>

namespace earshot::ui {

class HoverTip : public juce::Component {
  public:
    HoverTip();

    // Beside `pointer` (in the parent's coordinates), within the parent. With the advice when it is pinned.
    void show(const HoverText& text, juce::Point<int> pointer, bool pinned);
    void hide();
    const HoverText& text() const { return text_; }
    bool pinned() const { return pinned_; }

    void paint(juce::Graphics& graphics) override;

  private:
    juce::StringArray lines() const; // below the title

    HoverText text_;
    bool pinned_ = false;
};

} // namespace earshot::ui
