// Which stretch of time is on screen: zoom from 5 s to everything, scrolling back while the stream runs, and
// following its end again. In stream seconds. Message thread; broadcasts every change.
#pragma once

#include "Core/Base/Clock.h"

#include <juce_events/juce_events.h>

namespace earshot::ui {

// "01:02.9", "1:01:02.9" from an hour on, "-00:01.5" before zero. decimals: 0 to 3.
inline juce::String clockText(double seconds, int decimals = 1) {
    return clockReading(seconds, {.decimals = decimals, .wideMinutes = true});
}

class TimeAxis : public juce::ChangeBroadcaster {
  public:
    static constexpr double shortest = 5.0;               // seconds on screen
    static constexpr double usual = 30.0;                 // what a short stream can be spread over
    static constexpr double everything = 7 * 24 * 3600.0; // wanted() when all there is shall stay in view

    double start() const { return start_; }
    double visible() const { return visible_; } // seconds
    double end() const { return start_ + visible_; }
    double contentEnd() const { return contentEnd_; }
    bool following() const { return following_; }

    // The stream has grown (or was replaced) to so many seconds.
    void setContentEnd(double seconds);
    // Keeps `anchor` where it is on screen, or the end while following. Clamped from `shortest` to what there
    // is (or `usual`); what was wanted beyond that comes as the stream grows.
    void setVisible(double seconds, double anchor);
    // As last set, to keep with the project: `everything` after showEverything().
    double wanted() const { return wanted_; }
    void showEverything();
    // Stops following unless it reaches the end.
    void setStart(double seconds);
    // Brings a moment into view, a third from the left, if it is not.
    void reveal(double seconds);
    void follow();
    void stay();  // stops following where it is, though the end be in view
    void reset(); // a new stream: at its beginning, following

    // For a canvas `width` pixels wide.
    double x(double seconds, double width) const { return (seconds - start_) / visible_ * width; }
    double seconds(double x, double width) const { return start_ + x / width * visible_; }

  private:
    // Clamps, and tells listeners if that changed anything.
    void place(double start, double visible, bool following);
    double possible(double seconds) const;

    double start_ = 0.0;
    double visible_ = usual;
    double wanted_ = usual;
    double contentEnd_ = 0.0;
    bool following_ = true;
};

} // namespace earshot::ui
