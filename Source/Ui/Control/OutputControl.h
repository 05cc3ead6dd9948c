// What the views ask of MIDI, OSC and the event log. Message thread.
#pragma once

#include "Core/Formats/MidiMap.h"

#include <juce_core/juce_core.h>

namespace earshot::ui {

struct OutputSettings {
    bool osc = false;
    juce::String oscHost = "127.0.0.1";
    int oscPort = 9000;
    bool oscActivation = false; // also /earshot/activation, every column
    juce::String instance; // a name for this instance in OSC and event log; empty: its track's, or a number
    formats::MidiMap midi;

    bool operator==(const OutputSettings&) const = default;
};

class OutputControl {
  public:
    virtual ~OutputControl() = default;

    virtual OutputSettings settings() const = 0;
    virtual void set(const OutputSettings& settings) = 0;
    virtual juce::String problem() const = 0; // "port 9000 cannot be opened ...", or empty
    // The host to which a project wants to send OSC and that the user has not allowed yet; empty if there is
    // none.
    virtual juce::String hostToAllow() const = 0;
    virtual void allowHost() = 0;
};

} // namespace earshot::ui
