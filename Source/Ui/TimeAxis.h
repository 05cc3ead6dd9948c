// The part of the stream's time that is on screen. It zooms from 0.5 s to everything, scrolls back while the
// stream runs, and follows the end again. Times are stream seconds. Message thread; broadcasts every change.
#pragma once

#include "Core/Base/Clock.h"
#include "Core/Base/WallTime.h"

#include <juce_events/juce_events.h>

#include <optional>

namespace earshot::ui {

// "01:02.9"; "1:01:02.9" from an hour on; "-00:01.5" before zero. decimals: 0 to 3.
inline juce::String clockText(double seconds, int decimals = 1) {
    return clockReading(seconds, {.decimals = decimals, .wideMinutes = true});
}

// The same as a time of day, "02:30:02.9", of what began then.
juce::String clockText(const WallTime& began, double seconds, int decimals = 1);
// As a time of day if it is known when it began.
inline juce::String clockText(const std::optional<WallTime>& began, double seconds, int decimals = 1) {
    return began ? clockText(*began, seconds, decimals) : clockText(seconds, decimals);
}

class TimeAxis : public juce::ChangeBroadcaster {
  public:
    static constexpr double shortest = 0.5; // seconds on screen
    static constexpr double usual = 30.0;   // how far a short stream that grows on can be zoomed out
    static constexpr double everything = 7 * 24 * 3600.0; // wanted() when the whole stream stays in view

    double start() const { return start_; }
    double visible() const { return visible_; } // seconds
    double end() const { return start_ + visible_; }
    double contentEnd() const { return contentEnd_; }
    bool following() const { return following_; }

    // Call it when the stream has grown to `seconds`, or was replaced. expected: its whole length in seconds,
    // if that is known; the zoom then stays the same as the stream grows. 0: it grows on, and a view of all
    // of it makes room in steps, so that it does not change its scale all the time.
    void setContentEnd(double seconds, double expected = 0.0);
    // Zooms to `seconds`, clamped to [`shortest`, room for all of the stream]. `anchor` stays where it is on
    // screen, or the end does while following. A wish beyond the stream's length is fulfilled as the stream
    // grows.
    void setVisible(double seconds, double anchor);
    // The last wish, which the project keeps: `everything` after showEverything().
    double wanted() const { return wanted_; }
    void showEverything();
    // Scrolls. Following stops unless the end is in view.
    void setStart(double seconds);
    // Scrolls a moment into view, a third from the left, if it is not in view.
    void reveal(double seconds);
    void follow();
    void stay();  // stops following, even if the end is in view
    void reset(); // for a new stream: goes to its beginning and follows

    // Between seconds and pixels of a canvas that is `width` pixels wide.
    double x(double seconds, double width) const { return (seconds - start_) / visible_ * width; }
    double seconds(double x, double width) const { return start_ + x / width * visible_; }

  private:
    // Clamps the values and tells listeners if one changed.
    void place(double start, double visible, bool following);
    double possible(double seconds) const;
    double room() const; // seconds on screen that show everything

    double start_ = 0.0;
    double visible_ = usual;
    double wanted_ = usual;
    double contentEnd_ = 0.0;
    double expected_ = 0.0; // seconds; 0: not known
    bool following_ = true;
};

} // namespace earshot::ui
