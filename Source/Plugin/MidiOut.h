// Notes from the worker to the host's MIDI buffer: a lock-free queue, and which notes sound.
//   begin(), end()      the worker
//   render()            the audio thread: allocates nothing as long as the host's buffer has room for
//                       `mostEvents` short messages (JUCE's wrappers reserve 2048 bytes)
//   stop()              the host's lifecycle, while the audio thread does not run
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
    static constexpr int mostEvents = 64; // a block; the rest follows in the next

    // Returns what its end needs: an end is nothing once what sounded was forgotten, as the same note may be
    // another sound's by then.
    std::uint32_t begin(formats::MidiNote note, int velocity);
    void end(formats::MidiNote note, std::uint32_t begun);

    // Unless wanted, what sounds ends and what waits is forgotten. holdSamples: every note's least length.
    void render(juce::MidiBuffer& midi, int samples, bool wanted,
                std::int64_t holdSamples) noexcept EARSHOT_REALTIME;

    // What sounded ends with the next block.
    void stop();

  private:
    static constexpr int keys = 16 * 128;
    struct Change {
        bool on = false;
        std::uint8_t channel = 0; // 0 to 15
        std::uint8_t note = 0;
        std::uint8_t velocity = 0;
        std::uint32_t begun = 0; // era_ as it was
    };
    struct Key {
        int wanted = 0;             // sounds that want it
        std::int64_t notBefore = 0; // the clock at which it may end
        bool sounding = false;
    };

    void push(const Change& change);
    void forgetAll() noexcept;
    void apply(const Change& change, juce::MidiBuffer& midi, std::int64_t holdSamples) noexcept;

    boost::lockfree::spsc_queue<Change, boost::lockfree::capacity<1024>> queue_;
    std::atomic<bool> overflowed_ = false; // an end may have been lost
    std::atomic<std::uint32_t> era_ = 0;   // counts how often everything was forgotten
    std::array<Key, keys> keys_;
    std::array<std::uint16_t, keys> sounding_{}; // indices of keys_, the first soundingCount_
    int soundingCount_ = 0;
    int budget_ = 0;         // events left in this block
    std::int64_t clock_ = 0; // samples rendered
};

} // namespace earshot::plugin
