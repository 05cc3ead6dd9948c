// What the views ask of the audio that is shown: the live stream, a recording or the last bounce. Message
// thread.
#pragma once

#include "Core/Streaming/FilePlayer.h"
#include "Core/Streaming/HistoryProvider.h"

#include <juce_core/juce_core.h>

#include <cstdint>

namespace earshot::ui {

class PlaybackControl {
  public:
    virtual ~PlaybackControl() = default;

    // The history that is shown: the live stream's, or that of the open recording or the last bounce. Valid
    // until sourceId() changes.
    virtual streaming::HistoryProvider& source() = 0;
    virtual std::uint64_t sourceId() const = 0;

    // Shows a recording instead of the live stream.
    virtual void open(const juce::File& file) = 0;
    virtual void cancel() = 0; // keeps what was heard so far
    virtual void close() = 0;  // back to the live stream
    // Why the last recording could not be opened, so that what was shown before is shown again: a sentence,
    // once; then empty.
    virtual juce::String takeRefusal() = 0;
    virtual bool showsRecording() const = 0;
    virtual juce::File recording() const = 0; // no file while the last bounce is shown
    // The last bounce of the host is kept until the next one. It is shown as a recording is, at first by
    // itself. close() leads from it back to the live stream, too.
    virtual bool hasBounce() const = 0;
    virtual void showBounce() = 0;
    virtual streaming::FilePlayer* player() = 0; // null where recordings cannot be played (in a DAW)
    // The player, if a recording is shown that can be played; else null.
    streaming::FilePlayer* playable() {
        auto* own = showsRecording() ? player() : nullptr;
        return own != nullptr && own->length() > 0.0 ? own : nullptr;
    }
};

} // namespace earshot::ui
