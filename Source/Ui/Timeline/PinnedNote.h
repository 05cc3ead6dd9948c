// The note that stays where the user clicked, about an event or a near miss, and what its buttons do. It
// closes on a click outside the timeline, and when other rules decide. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/NonThrowing.h"
#include "Ui/Timeline/HoverTip.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <functional>
#include <optional>

namespace earshot::ui {

class PinnedNote : private juce::MouseListener {
  public:
    // tip: a child of `view`, which shows the note.
    PinnedNote(juce::Component& view, Controller& controller, HistoryViewModel& viewModel, HoverTip& tip);
    ~PinnedNote() override;

    // span: what the text is about.
    void show(const HoverText& text, juce::Point<int> position, const std::optional<detection::Event>& span);
    void close();
    bool isOpen() const { return tip_.pinned(); }
    void historyChanged();
    // Sets the threshold of the sound so that it includes the near miss. Returns whether that is possible.
    bool include();

    std::function<void(const juce::String&)> onIncluded;         // with a sentence
    std::function<void(const detection::Event& span)> onNotThis; // "Not this" was clicked
    std::function<bool(int classIndex)> isTaught;                // whether "Not this" is offered

  private:
    void mouseDown(const juce::MouseEvent& event) override;

    juce::Component& view_;
    Controller& controller_;
    HistoryViewModel& viewModel_;
    HoverTip& tip_;
    float threshold_ = 0.0f; // that includes the near miss
    std::optional<detection::Event> span_;
    detection::EventSettings rules_; // when it opened
};

} // namespace earshot::ui
