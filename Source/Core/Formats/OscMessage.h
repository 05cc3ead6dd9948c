// Messages of Open Sound Control 1.0 (https://opensoundcontrol.stanford.edu/spec-1_0.html), for programs
// without JUCE. Pure functions: any thread.
#pragma once

#include "Core/Formats/EventFormats.h"

#include <string>
#include <string_view>

namespace earshot::formats {

// The message that plugin and app send: "/earshot/event" with the label, onset, offset, the confidence (or
// the peak where thresholds decided), the instance, and exact onset and offset: whole seconds as an integer,
// and the rest as a float. Types sfffsifif. Texts are valid UTF-8 and at most 200 bytes long, so that the
// message fits into a datagram.
std::string oscMessage(const TimedEvent& event, std::string_view instance = {});

} // namespace earshot::formats
