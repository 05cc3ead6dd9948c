// Seconds as people read them, and round times along an axis. Pure functions: any thread.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace earshot {

struct ClockForm {
    int decimals = 0;         // 0 to 3
    bool hours = false;       // show hours below an hour too
    bool wideMinutes = false; // two digits, so that the width is the same from 0 to an hour
};

// "0:05", "-1:05", "1:30:00" from an hour on; "--:--" if the time is not finite. The time is rounded first,
// so that 59.96 s are "1:00.0" and never "0:60.0".
std::string clockReading(double seconds, ClockForm form = {});

// The shortest round time, in seconds, that is at least `apart` pixels wide and not below `shortest`.
double roundStep(double pixelsPerSecond, double apart, double shortest = 0.0);

// Seconds that have passed since `start`.
inline double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct TimeTick {
    double x = 0.0; // pixels from the left edge
    std::string text;
};

// Ticks from 0 to at most `seconds`, at least `apart` pixels from each other. From an hour on, all of them
// show hours, so that "30:00" never means half a minute or half a day.
std::vector<TimeTick> timeTicks(double seconds, double width, double apart);

} // namespace earshot
