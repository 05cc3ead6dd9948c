// In which order lanes stand: what has been heard most strongly of late is on top, calmly. A lane passes
// another only when it has been clearly stronger for some seconds, sooner when it sounds and the other does
// not; small changes never move anything, and moves come together, not one after another.
// Message thread.
#pragma once

#include <span>
#include <vector>

namespace earshot::ui {

// A class or a lane as the index of a vector.
inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

class LaneOrder {
  public:
    static constexpr double liveHalfLife = 15.0; // seconds after which a sound counts half

    void reset(int classes);
    // One more column, `seconds` after the last. halfLife 0: nothing fades (a recording as a whole).
    void hear(std::span<const float> probabilities, double seconds, double halfLife);
    // Moves what has waited long enough. now: seconds of a clock on the wall; sounding: (classes).
    // True when the order changed.
    bool settle(double now, const std::vector<bool>& sounding);
    // By strength at once, for what is seen for the first time.
    void sort();

    const std::vector<int>& order() const { return order_; } // class indices, top first
    float strength(int classIndex) const { return strengths_[static_cast<std::size_t>(classIndex)]; }

  private:
    bool passes(int lane, int other, const std::vector<bool>& sounding) const;

    std::vector<int> order_;
    std::vector<float> strengths_;   // by class
    std::vector<double> waitsSince_; // by class: since when it has been ready to pass another; -1: it is not
    double lastMove_ = -1e9;         // seconds
};

} // namespace earshot::ui
