// Seconds as people read them, and round times along an axis. Pure functions: any thread.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace earshot {

struct ClockForm {
    int decimals = 0;         // 0 to 3
    bool hours = false;       // also below an hour
    bool wideMinutes = false; // two digits: as wide from 0 to an hour
};

// "0:05", "-1:05", "1:30:00" from an hour on; "--:--" for what is no time. Rounded first, so that 59.96 s are
// "1:00.0" and never "0:60.0".
std::string clockReading(double seconds, ClockForm form = {});

// The shortest round time that is at least `apart` pixels wide and not below `shortest`: seconds.
double roundStep(double pixelsPerSecond, double apart, double shortest = 0.0);

// Seconds that have passed since `start`.
inline double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct TimeTick {
    double x = 0.0; // pixels from the left edge
    std::string text;
};

// From 0 to at most `seconds`, at least `apart` pixels from one to the next. All in hours from an hour on, so
// that "30:00" is never half a minute's or half a day's.
std::vector<TimeTick> timeTicks(double seconds, double width, double apart);

} // namespace earshot
