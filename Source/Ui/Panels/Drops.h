// Decides what Earshot does with dropped files, by their names alone (pure functions: any thread), and shows
// it over the view (message thread).
#pragma once

#include "Ui/Panels/Widgets.h"

namespace earshot::ui {

struct Drop {
    enum class Kind { nothing, model, recording, recordings, examples };
    Kind kind = Kind::nothing;
    juce::File file;              // the file that a drop takes
    juce::String words;           // what a drop does here, or what could be dropped instead
    juce::StringArray paths = {}; // of `recordings`: files, and what may be folders
};

// lists: several recordings can be listed. What has no known extension may then be a folder of them.
// teaches: such a folder is one of examples.
Drop dropOf(const juce::StringArray& files, bool lists = false, bool teaches = false);

// "*.wav;*.flac;..." for file choosers
juce::String recordingPattern();
juce::String modelPattern();

// Covers the whole view while files are dragged over it.
class DropOverlay : public juce::Component {
  public:
    DropOverlay();
    void show(const Drop& drop);

    void paint(juce::Graphics& graphics) override;

  private:
    Drop drop_;
};

} // namespace earshot::ui
