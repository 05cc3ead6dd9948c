// Round times along a picture's width, and seconds as people read them. Pure functions: any thread.
#pragma once

#include <string>
#include <vector>

namespace earshot::pictures {

// "0:05", "1:30:00" from an hour on; decimals: 0 to 3.
std::string clockText(double seconds, int decimals = 0);

struct TimeTick {
    double x = 0.0; // pixels from the left edge
    std::string text;
};

// From 0 to at most `seconds`, at least `apart` pixels from one to the next. All in hours from an hour on, so
// that "30:00" is never half a minute's or half a day's.
std::vector<TimeTick> timeTicks(double seconds, double width, double apart);

} // namespace earshot::pictures
