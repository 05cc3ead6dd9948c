// The review of a recording: which of its events the user has judged right or wrong. A judgement stays with
// an event while rules move its ends, as long as both share half of the longer one. Message thread.
#pragma once

#include "Core/Detection/Events/Events.h"
#include "Core/Formats/EventFormats.h"
#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"

#include <optional>
#include <span>
#include <string>

namespace earshot::ui {

// Whether it was judged right (true) or wrong; null: it was not judged.
using Verdict = std::optional<bool>;

class Review {
  public:
    Review(Controller& controller, const HistoryViewModel& viewModel)
        : controller_(controller)
        , viewModel_(viewModel) {}

    // Whether a recording is open. Live events are not reviewed.
    bool possible() const { return controller_.playback().recording() != juce::File(); }
    Verdict of(const detection::Event& event) const;
    // Judges an event; the same judgement again takes it back. Returns why not.
    juce::String judge(const detection::Event& event, bool right);
    int judged(std::span<const detection::Event> events) const; // how many are
    // The first event after `row` that is not judged, or from the start on; null: all are.
    std::optional<int> next(std::span<const detection::Event> events, int row) const;
    bool hasAny() const { return possible() && !controller_.reviews().judgements()->empty(); }

    // CSV of the events: file,onset_s,offset_s,label,peak,confidence,channel,review, where review is right,
    // wrong or empty.
    std::string table(const formats::RecordingEvents& recording) const;

  private:
    Controller& controller_;
    const HistoryViewModel& viewModel_;
};

} // namespace earshot::ui
