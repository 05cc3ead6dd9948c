// Divides the height of a timeline between spectrogram and lanes, at a bar that the user drags. The view's
// settings keep the share. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/MainLayout.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <functional>

namespace earshot::ui {

class SpectrogramSplit {
  public:
    SpectrogramSplit(juce::Component& owner, Controller& controller);

    std::function<void()> onMove; // the user gave the spectrogram another height

    struct Places {
        juce::Rectangle<int> spectrogram; // empty: the lanes need all of the height
        juce::Rectangle<int> lanes;
    };
    // Divides `area`, of a timeline of `height` logical pixels, and places the bar.
    Places place(juce::Rectangle<int> area, int height);
    bool isStale() const; // the settings have another share than is shown

  private:
    void move(int down);

    Controller& controller_;
    NonThrowing<Divider> bar_{"Height of the spectrogram",
                              "Up and down make the spectrogram lower or higher"};
    double share_ = 0.0;   // as it is shown
    int room_ = 0;         // logical pixels for both
    int spectrogram_ = 0;  // height, logical pixels
    int heightAtDrag_ = 0; // of the spectrogram
};

} // namespace earshot::ui
