// The order of the lanes: the strongest sounds of the recent past are on top. A lane passes another only
// after it has been clearly stronger for some seconds, or sooner if it sounds and the other does not. Several
// moves happen together, and small changes move nothing. Message thread.
#pragma once

#include <span>
#include <vector>

namespace earshot::ui {

// A class or a lane as the index of a vector.
inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

class LaneOrder {
  public:
    static constexpr double liveHalfLife = 15.0; // the seconds after which a past sound counts half

    void reset(int classes);
    // Adds one column, `seconds` after the last one. halfLife 0: the past counts fully (a recording as a
    // whole).
    void observe(std::span<const float> probabilities, double seconds, double halfLife);
    // Moves the lanes that have waited long enough. now: seconds of a monotonic clock; sounding: (classes).
    // Returns true when the order changed.
    bool settle(double now, const std::vector<bool>& sounding);
    // Sorts by strength at once, when lanes are seen for the first time. Equally strong classes stand in the
    // model's order, whatever the order was before.
    void sort();

    const std::vector<int>& order() const { return order_; } // class indices, top first
    float strength(int classIndex) const { return strengths_[static_cast<std::size_t>(classIndex)]; }

  private:
    bool passes(int lane, int other, const std::vector<bool>& sounding) const;

    std::vector<int> order_;
    std::vector<float> strengths_;   // by class
    std::vector<double> waitsSince_; // by class: the time from which it may pass another; -1: it may not
    double lastMove_ = -1e9;         // seconds
};

} // namespace earshot::ui
