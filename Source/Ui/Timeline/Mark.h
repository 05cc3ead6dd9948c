// The stretch of time that the user marks, to teach a sound from it: its state and its arithmetic. Times are
// stream seconds, so that a mark stays with its sound while a live timeline scrolls. Pure: one thread at a
// time.
#pragma once

namespace earshot::ui {

// What happened to the mark.
enum class MarkNews {
    made,
    changed, // it is longer, shorter or elsewhere now
    named,   // the user wants to name it
    gone,
};

class Mark {
  public:
    static constexpr double shortest = 0.05; // seconds
    static constexpr double longest = 30.0;  // seconds

    enum class End { onset, offset };

    bool exists() const { return offset_ > onset_; }
    double onset() const { return onset_; }
    double offset() const { return offset_; }
    double seconds() const { return offset_ - onset_; }
    bool contains(double seconds) const { return exists() && seconds >= onset_ && seconds <= offset_; }
    bool cut() const { return cut_; } // whether the last change asked for more than `longest`

    // heard: where that ends which was heard, seconds. A mark lies before it, and as long as less than
    // `shortest` was heard there is none. A mark that would be too long ends `longest` after its onset.
    void set(double onset, double offset, double heard);
    // A drag begins at a moment, or at an end of the mark. dragTo() moves that end, also across the other.
    void dragFrom(double seconds) { held_ = seconds; }
    void dragFrom(End end) { held_ = end == End::onset ? offset_ : onset_; }
    void dragTo(double seconds, double heard);
    void moveBy(double seconds, double heard); // as far as there is room
    // Moves one end, but not across the other as a drag may.
    void moveEndBy(End end, double seconds, double heard);
    void clear();

  private:
    double onset_ = 0.0;
    double offset_ = 0.0;
    double held_ = 0.0; // the end that stays while the other is dragged
    bool cut_ = false;
};

} // namespace earshot::ui
