// Carries notes from the worker to the host's MIDI buffer in a lock-free queue. Tracks the sounding notes.
//   begin(), end(), endedSince()   the worker
//   render()   the audio thread: allocates nothing as long as the host's buffer has room for
//              `maxEvents` short messages (JUCE's wrappers reserve 2048 bytes)
//   endAll(), stop()   the audio thread, or another while that does not run
#pragma once

#include "Core/Base/Realtime.h"
#include "Core/Formats/MidiMap.h"

#include <juce_audio_basics/juce_audio_basics.h>

#include <boost/lockfree/spsc_queue.hpp>

#include <array>
#include <atomic>
#include <cstdint>

namespace earshot::plugin {

class MidiOut {
  public:
    static constexpr int maxEvents = 64; // MIDI events a block; more events wait for the next block

    // Begins a note and returns a number to pass to end(). If all notes were ended since, end() with that
    // number does nothing, because the same note may belong to another class by then.
    std::uint32_t begin(formats::MidiNote note, int velocity);
    void end(formats::MidiNote note, std::uint32_t begun);
    // Whether all notes were ended since begin() returned that number.
    bool endedSince(std::uint32_t begun) const;

    // Writes the queued changes to `midi`. If not `wanted`, ends all sounding notes and discards the queue.
    // `holdSamples` is the shortest length of a note.
    void render(juce::MidiBuffer& midi, int samples, bool wanted,
                std::int64_t holdSamples) noexcept EARSHOT_REALTIME;

    // Writes the ends of all sounding notes to `midi`, for where no render() will follow.
    void endAll(juce::MidiBuffer& midi);

    // Discards the queue. The next render() ends all sounding notes.
    void stop() noexcept;

  private:
    static constexpr int keys = 16 * 128;
    struct Change {
        bool on = false;
        std::uint8_t channel = 0; // 0 to 15
        std::uint8_t note = 0;
        std::uint8_t velocity = 0;
        std::uint32_t begun = 0; // era_ when the note began
    };
    struct Key {
        int wanted = 0;             // classes that sound on this key
        std::int64_t notBefore = 0; // the earliest clock_ at which the note may end
        bool sounding = false;
    };

    void push(const Change& change);
    void forgetAll() noexcept;
    void apply(const Change& change, juce::MidiBuffer& midi, std::int64_t holdSamples) noexcept;

    boost::lockfree::spsc_queue<Change, boost::lockfree::capacity<1024>> queue_;
    std::atomic<bool> overflowed_ = false; // an end may have been lost
    std::atomic<std::uint32_t> era_ = 0;   // number of calls of forgetAll()
    std::array<Key, keys> keys_;
    std::array<std::uint16_t, keys> sounding_{}; // indices of keys_, the first soundingCount_
    int soundingCount_ = 0;
    int budget_ = 0;         // MIDI events that still fit into this block
    std::int64_t clock_ = 0; // samples rendered
};

} // namespace earshot::plugin
