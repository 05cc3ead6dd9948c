// What is marked in the timeline: a span of a class, with frequencies where it was drawn as a rectangle in
// the spectrogram. Pure.
#pragma once

#include "Core/Detection/Events/Events.h"

#include <juce_core/juce_core.h>

namespace earshot::ui {

struct HertzRange {
    double low = 0.0, high = 0.0; // Hz; both 0: all

    bool all() const { return high <= 0.0; }
    bool operator==(const HertzRange&) const = default;
};

// "1.2 to 4.8 kHz", "250 to 800 Hz"; empty for all.
juce::String frequenciesText(const HertzRange& frequencies);

struct MarkedSpan {
    detection::Event event; // its class (-1: none), onset and offset count
    HertzRange frequencies = {};

    bool operator==(const MarkedSpan&) const = default;
};

} // namespace earshot::ui
