// What the views ask of the user's judgements of events, which are kept for each recording. Message thread.
#pragma once

#include <juce_core/juce_core.h>

#include <string>
#include <vector>

namespace earshot::ui {

// That an event is right, or wrong.
struct Judgement {
    std::string label;                // of the event, UTF-8
    double onset = 0.0, offset = 0.0; // seconds, as the event was when it was judged
    int channel = 0;                  // of the recording, from 1; 0: the mix
    bool right = true;

    bool operator==(const Judgement&) const = default;
};

class ReviewControl {
  public:
    virtual ~ReviewControl() = default;

    // Of the recording that is open; none of a live stream.
    virtual const std::vector<Judgement>& judgements() = 0;
    // Keeps these instead of the former ones. Returns why not: a sentence; empty: they are kept.
    virtual juce::String set(const std::vector<Judgement>& judgements) = 0;
};

} // namespace earshot::ui
