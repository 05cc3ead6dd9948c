// The part of the timeline that shows times: right of the names. Positions are logical pixels of the view,
// times are stream seconds. Message thread.
#pragma once

#include "Ui/Theme.h"
#include "Ui/TimeAxis.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <algorithm>

namespace earshot::ui {

inline int plotWidth(const juce::Component& view) { return std::max(1, view.getWidth() - size::laneNames); }

inline double secondsAt(const juce::Component& view, const TimeAxis& axis, int x) {
    return axis.seconds(x - size::laneNames, plotWidth(view));
}

} // namespace earshot::ui
