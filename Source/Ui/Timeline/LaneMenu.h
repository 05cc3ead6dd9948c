// The context menu of a lane: pin, solo, hide, and a threshold of its own, which the view state keeps by the
// sound's name. A word can also be renamed, moved and removed. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Safe.h"
#include "Ui/Watcher.h"

#include <juce_gui_basics/juce_gui_basics.h>

namespace earshot::ui {

void togglePinned(ViewState& view, const std::string& name);
void toggleSolo(ViewState& view, const std::string& name);
void toggleHidden(ViewState& view, const std::string& name);
void showAll(ViewState& view); // clears hidden and solo sounds

// classIndex -1: only the entries that concern no single lane. What the entries open stands beside `place`
// (in the owner's coordinates). They stand below those of `menu`.
juce::PopupMenu laneMenu(juce::Component& owner, Controller& controller, const Watcher& watcher,
                         int classIndex, juce::Rectangle<int> place, juce::PopupMenu menu = {});
// Beside `place`.
void showLaneMenu(juce::Component& owner, juce::PopupMenu menu, juce::Rectangle<int> place);

// Lets the user give a word's lane another name.
void showRename(juce::Component& owner, Controller& controller, const Word& word, juce::Rectangle<int> place);

// A field for the name of a word's lane. Return renames it and closes the box around it, or shows why not.
class RenamePanel : public juce::Component {
  public:
    RenamePanel(Controller& controller, Word word);

    void resized() override;
    void paint(juce::Graphics& graphics) override;

    Safe<LineField> field;
    Safe<Caption> refusal{juce::String(), Caption::Role::trouble};

  private:
    void rename();
    juce::String title() const;

    Controller& controller_;
    Word word_;
};

// A slider for the threshold of one sound, with a button back to the common threshold.
class ThresholdPanel : public juce::Component {
  public:
    // initial: the threshold that applies now.
    ThresholdPanel(ViewState& view, std::string name, float initial);

    void resized() override;
    void paint(juce::Graphics& graphics) override;

    Safe<juce::Slider> slider;
    Safe<juce::TextButton> reset{"Use the common threshold"};

  private:
    ViewState& view_;
    std::string name_;
    float common_; // shown after a reset
};

} // namespace earshot::ui
