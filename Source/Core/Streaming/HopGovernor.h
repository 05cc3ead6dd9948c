// Chooses the hop: either the wanted one, longer where the machine is too slow for it, or automatically the
// shortest that takes at most `automaticLoad` of a core. Doubles the hop while it is too short, and halves it
// again once passes are fast enough; an automatic hop waits longer for that each time it was too short. If
// even the longest hop is too short, mustSkip() asks the caller to skip late windows. The measure is the
// median duration of the last three passes, because a single pass may be an outlier. The first passes at a
// shorter hop do not count, because they reuse less of earlier ones than those that follow. The worker's
// thread; reads no clock.
#pragma once

#include <array>
#include <cstddef>

namespace earshot::streaming {

class HopGovernor {
  public:
    static constexpr double automaticLoad = 0.15; // duration of a pass divided by the hop
    // Passes at a shorter hop until all that comes back is kept: as many as model::StripStage has phases.
    static constexpr int settlingPasses = 4;

    struct Limits {
        int wanted = 1;  // tokens; with `automatic`, the hop to begin with
        int longest = 1; // tokens
        double secondsPerToken = 0.32;
        bool automatic = false;

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
    bool atMaxHop() const { return hop_ == limits_.longest; }
    // Whether the hop is longer than wanted. An automatic hop is wanted as it is.
    bool lengthened() const { return !limits_.automatic && hop_ > limits_.wanted; }
    bool skips() const { return calmSeconds_ < skipMemory; } // skipped windows within the last skipMemory
    bool tooSlow() const;                                    // too slow for the wanted hop

  private:
    static constexpr double skipMemory = 10.0; // seconds of audio

    double cost() const;
    double load(int hop) const { return cost() / (hop * limits_.secondsPerToken); }
    bool fallsBehind(int hop, double lateSeconds, double maxLoad) const;
    bool tooShort(double lateSeconds) const;
    int shorter() const;
    double roomNeeded() const;

    Limits limits_;
    int hop_ = 1;
    std::array<double, 3> costs_{};   // durations of the last passes, seconds
    std::size_t passes_ = 0;          // passes measured so far
    int settling_ = 0;                // passes that do not count yet
    double roomSeconds_ = 0.0;        // seconds of audio during which a shorter hop would have been possible
    double calmSeconds_ = skipMemory; // seconds of audio since windows were last skipped
    int attempts_ = 0;                // how often an automatic hop turned out to be too short
};

} // namespace earshot::streaming
