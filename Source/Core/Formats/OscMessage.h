// Messages of Open Sound Control 1.0 (https://opensoundcontrol.stanford.edu/spec-1_0.html), for programs
// without JUCE. Pure functions: any thread.
#pragma once

#include "Core/Formats/EventFormats.h"

#include <string>

namespace earshot::formats {

// "/earshot/event" with the label, onset and offset in double precision (seconds), and the confidence, or the
// peak where thresholds decided: types sddf. The label is valid UTF-8 and at most 200 bytes long, so that the
// message fits into a datagram.
std::string oscMessage(const TimedEvent& event);

} // namespace earshot::formats
