// What Earshot does with files that are dropped on it, told by their names alone (pure functions: any
// thread), and how the view says so (message thread).
#pragma once

#include "Ui/Panels/Widgets.h"

namespace earshot::ui {

struct Drop {
    enum class Kind { nothing, model, recording };
    Kind kind = Kind::nothing;
    juce::File file;    // the one that would be taken
    juce::String words; // what letting go does, or what could be dropped instead
};

Drop dropOf(const juce::StringArray& files);

// "*.wav;*.flac;..." for file choosers
juce::String recordingPattern();
juce::String modelPattern();

// Over the whole view while files are dragged above it.
class DropOverlay : public juce::Component {
  public:
    DropOverlay();
    void show(const Drop& drop);

    void paint(juce::Graphics& graphics) override;

  private:
    Drop drop_;
};

} // namespace earshot::ui
