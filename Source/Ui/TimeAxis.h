// Which stretch of time is on screen: zoom from 5 s to everything, scrolling back while the stream runs, and
// following its end again. In stream seconds. Message thread; broadcasts every change.
#pragma once

#include <juce_events/juce_events.h>

namespace earshot::ui {

class TimeAxis : public juce::ChangeBroadcaster {
  public:
    static constexpr double shortest = 5.0; // seconds on screen

    double start() const { return start_; }
    double visible() const { return visible_; } // seconds
    double end() const { return start_ + visible_; }
    double contentEnd() const { return contentEnd_; }
    bool following() const { return following_; }

    // The stream has grown (or was replaced) to so many seconds.
    void setContentEnd(double seconds);
    // Keeps `anchor` where it is on screen, or the end while following. Clamped.
    void setVisible(double seconds, double anchor);
    void showEverything();
    // Stops following unless it reaches the end.
    void setStart(double seconds);
    // Brings a moment into view, a third from the left, if it is not.
    void reveal(double seconds);
    void follow();
    void reset(); // a new stream: at its beginning, following

    // For a canvas `width` pixels wide.
    double x(double seconds, double width) const { return (seconds - start_) / visible_ * width; }
    double seconds(double x, double width) const { return start_ + x / width * visible_; }

  private:
    void place(double start);

    double start_ = 0.0;
    double visible_ = 30.0;
    double contentEnd_ = 0.0;
    bool following_ = true;
};

} // namespace earshot::ui
