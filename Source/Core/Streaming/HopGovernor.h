// Chooses the hop on a machine that may be too slow for the wanted hop. Doubles the hop while audio would
// pile up, and halves it again once passes are fast enough. If even the longest hop is too short, mustSkip()
// asks the caller to skip late windows. The measure is the median duration of the last three passes, because
// a single pass may be an outlier. The worker's thread; reads no clock.
#pragma once

#include <array>
#include <cstddef>

namespace earshot::streaming {

class HopGovernor {
  public:
    struct Limits {
        int wanted = 1;  // tokens
        int longest = 1; // tokens
        double secondsPerToken = 0.32;

        bool operator==(const Limits&) const = default;
    };

    // Starts again at the wanted hop. Keeps the measured pass durations.
    void set(const Limits& limits);
    void forgetPasses() { passes_ = 0; } // for another model or number of threads

    // Chooses the hop; call it before every pass. `lateSeconds` is the audio (seconds) that waits although
    // its windows are complete.
    void decide(double lateSeconds);
    void passed(double seconds); // records the duration of a pass
    // Returns whether the stream falls behind even at the longest hop.
    bool mustSkip(double lateSeconds) const;
    void skippedWindows() { calmSeconds_ = 0.0; }

    int hop() const { return hop_; } // tokens
    bool atLongest() const { return hop_ == limits_.longest; }
    bool lengthened() const { return hop_ > limits_.wanted; }
    bool skips() const { return calmSeconds_ < skipMemory; } // skipped windows within the last skipMemory
    bool tooSlow() const;                                    // too slow for the wanted hop

  private:
    static constexpr double skipMemory = 10.0; // seconds of audio

    double cost() const;
    double load(int hop) const { return cost() / (hop * limits_.secondsPerToken); }
    bool fallsBehind(int hop, double lateSeconds, double highestLoad) const;

    Limits limits_;
    int hop_ = 1;
    std::array<double, 3> costs_{};   // durations of the last passes, seconds
    std::size_t passes_ = 0;          // passes measured so far
    double roomSeconds_ = 0.0;        // seconds of audio during which a shorter hop would have been possible
    double calmSeconds_ = skipMemory; // seconds of audio since windows were last skipped
};

} // namespace earshot::streaming
