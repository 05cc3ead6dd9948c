// Where the host plays, as its play head says it. Audio thread.
#pragma once

#include "Core/Streaming/TimeMap.h"

#include <juce_audio_processors/juce_audio_processors.h>

#include <limits>

namespace earshot::plugin {

class Transport {
  public:
    // At the next block. head: null where the host has none. sampleRate: Hz.
    streaming::HostTime next(juce::AudioPlayHead* head, double sampleRate) noexcept;

  private:
    double seconds_ = std::numeric_limits<double>::quiet_NaN(); // in the last block; NaN: it did not play
};

} // namespace earshot::plugin
