// Over the whole window while files are dragged above it: says what letting go will do. Message thread.
#pragma once

#include "Ui/Panels/Drops.h"
#include "Ui/Panels/Widgets.h"

namespace earshot::ui {

class DropOverlay : public juce::Component {
  public:
    DropOverlay();
    void show(const Drop& drop);

    void paint(juce::Graphics& graphics) override;

  private:
    Drop drop_;
};

} // namespace earshot::ui
