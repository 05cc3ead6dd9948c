// Chooses how far windows advance on a machine that may be too slow for the hop that is wanted: doubles the
// hop as long as audio would pile up, and halves it again once there is room. Where even the longest hop is
// too much, late windows are to be skipped. Judges by how long passes took, not by single ones: the median of
// the last three. The worker's thread; knows no clock.
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

    // Begins at the hop that is wanted; what passes cost is still known.
    void set(const Limits& limits);
    void forgetPasses() { passes_ = 0; } // another model, another number of threads

    // Before every pass; lateSeconds: of audio that waits although it could have been analysed by now.
    void decide(double lateSeconds);
    void passed(double seconds); // what it took
    // Whether even the longest hop is too long a way behind.
    bool mustSkip(double lateSeconds) const;
    void skippedWindows() { calmSeconds_ = 0.0; }

    int hop() const { return hop_; } // tokens
    bool atLongest() const { return hop_ == limits_.longest; }
    bool lengthened() const { return hop_ > limits_.wanted; }
    bool skips() const { return calmSeconds_ < skipMemory; } // did so within the last stretch of audio
    bool tooSlow() const;                                    // for the hop that is wanted

  private:
    static constexpr double skipMemory = 10.0; // seconds of audio

    double cost() const;
    double load(int hop) const { return cost() / (hop * limits_.secondsPerToken); }
    bool fallsBehind(int hop, double lateSeconds, double highestLoad) const;

    Limits limits_;
    int hop_ = 1;
    std::array<double, 3> costs_{};   // seconds of the last passes
    std::size_t passes_ = 0;          // measured so far
    double roomSeconds_ = 0.0;        // of audio during which a shorter hop would have been no trouble
    double calmSeconds_ = skipMemory; // of audio since windows were skipped
};

} // namespace earshot::streaming
