// A Standard MIDI File (format 0) of events: https://midi.org/standard-midi-files-specification. A text event
// names each sound at its onset. Pure function: any thread.
#pragma once

#include "Core/Formats/EventFormats.h"

#include <span>
#include <string>

namespace earshot::formats {

// Events of one note that overlap are one note, as loud as the loudest; each lasts at least a tick (1 ms).
std::string midiFile(std::span<const TimedEvent> events, const MidiMap& map);

} // namespace earshot::formats
