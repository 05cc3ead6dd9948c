// What the views ask of the user's judgements of events, which are kept for each recording. Message thread.
#pragma once

#include <juce_core/juce_core.h>

#include <memory>
#include <string>
#include <tuple>
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

// What judgements are sorted by.
inline auto placeOf(const Judgement& judgement) {
    return std::tie(judgement.label, judgement.channel, judgement.onset);
}

// Sorted, never null, and never changed but replaced: cheap to copy and compare.
using Judgements = std::shared_ptr<const std::vector<Judgement>>;

class ReviewControl {
  public:
    virtual ~ReviewControl() = default;

    // Of the recording that is open; none of a live stream.
    virtual Judgements judgements() = 0;
    // Keeps these instead of the former ones, and stores them in the background. Returns why not: a sentence;
    // empty: they are kept.
    virtual juce::String set(const Judgements& judgements) = 0;
    virtual juce::String problem() const = 0; // why those kept last are not stored: a sentence; or empty
};

} // namespace earshot::ui
