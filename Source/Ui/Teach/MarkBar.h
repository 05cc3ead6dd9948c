// The bar beside the timeline's mark that names it: a field with completion over the model's classes and the
// taught names, and buttons that play the mark and keep it as an example of that sound, or of what is not it.
// Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/StatusText.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/TimelineView.h"

#include <functional>

namespace earshot::ui {

// The names that hold a typed text, in upper or lower case: those that begin with it first, and taught ones
// before the model's. Without a text they are the taught ones. A text that is itself the only name has none.
juce::StringArray soundsLike(const juce::String& typed, const juce::StringArray& taught,
                             const juce::StringArray& classes);

class MarkBar : public juce::Component, private juce::ListBoxModel, private juce::Timer {
  public:
    static constexpr int width = 452; // logical pixels

    MarkBar(Controller& controller, HistoryViewModel& viewModel, TimelineView& timeline);
    ~MarkBar() override;

    void follow(MarkNews news); // Call it for all news of the mark: it opens and closes the bar.
    void place(); // Call it when the mark is elsewhere in the view, or the view has another size.
    void close();
    void showTeaching(); // Call it when the view model's teaching changed.
    bool plays() const { return plays_; }
    // Where it stands: below a mark, or above it where there is too little room, within `room`.
    static juce::Rectangle<int> beside(juce::Rectangle<int> mark, int height, juce::Rectangle<int> room);

    std::function<void(const juce::String&, Tone)> onNotice;

    void paint(juce::Graphics& graphics) override;
    void resized() override;
    void lookAndFeelChanged() override;
    bool keyPressed(const juce::KeyPress& key) override;
    // Clicks between its parts must not reach what is below.
    void mouseDown(const juce::MouseEvent&) override {}

  private:
    int getNumRows() override { return choices_.size(); }
    void paintListBoxItem(int row, juce::Graphics& graphics, int width, int height, bool selected) override;
    juce::String getNameForRow(int row) override { return choices_[row]; }
    void listBoxItemClicked(int row, const juce::MouseEvent& event) override;
    void timerCallback() override;

    void open();
    void removeMark();
    int heightNow() const; // with the list of names
    void tick();
    juce::String sound() const; // that the field names; empty if it cannot be taught
    void showMode();
    void showNames(bool shown);
    void choose(int row);
    bool listKey(const juce::KeyPress& key);
    bool acceptReturn();
    void teach();
    void setPlays(bool plays);
    void loopMark();

    Controller& controller_;
    HistoryViewModel& viewModel_;
    TimelineView& timeline_;
    NonThrowing<SignButton> play_;
    NonThrowing<LineField> field_;
    NonThrowing<juce::TextButton> teach_{"Add example"};
    NonThrowing<juce::TextButton> not_{"Not this"};
    NonThrowing<SignButton> close_;
    juce::ListBox list_;
    juce::StringArray choices_;
    bool plays_ = false;
};

} // namespace earshot::ui
