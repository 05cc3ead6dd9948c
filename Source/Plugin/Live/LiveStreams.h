// The streams of a host: the live one, and a session of its own for each bounce, whose history stays, whole,
// until the next bounce begins. Audio goes to whichever runs.
//   process()          the audio thread: no lock, no allocation
//   prepare(), release(), beginBounce(), leave()   the host's lifecycle; a mutex serialises the calls
//   follow()           message thread
//   the rest           any thread but the audio thread
#pragma once

#include "Core/Base/RealtimeBarrier.h"
#include "Core/Streaming/LiveHistory.h"
#include "Core/Streaming/Session.h"
#include "Plugin/Live/Transport.h"
#include "Plugin/Outputs/EventOutputs.h"
#include "Plugin/Outputs/MidiOut.h"
#include "Plugin/Parameters/Parameters.h"

#include <juce_audio_processors/juce_audio_processors.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace earshot::plugin {

class LiveStreams {
  public:
    LiveStreams(const Parameters& parameters, EventOutputs& outputs, MidiOut& midi);

    std::function<void(bool bounces)> onBounce; // a bounce begins or ends; throws nothing

    // offline: a bounce. leftOut: channels of the input that the mix leaves out (DownMix.h).
    void prepare(double sampleRate, bool offline, std::uint64_t leftOut);
    void release();
    // A stream that runs becomes a bounce, as hosts switch between two blocks.
    void beginBounce();
    void leave(); // as release(), for the last time: discards audio that is not analysed yet
    // Applies changed settings, and goes on live after a bounce. Returns whether a stream runs; nothing while
    // the host starts or stops one.
    std::optional<bool> follow(bool offline);

    struct Block {
        bool listen = true;
        bool offline = false;
        juce::AudioPlayHead* head = nullptr;
    };
    // Sends the audio to the stream, and writes notes to `midi`.
    template <typename Sample>
    void process(const juce::AudioBuffer<Sample>& audio, juce::MidiBuffer& midi, const Block& block) noexcept;

    // A bounce that runs uses them from here on, too. `model` loads a model that has the words.
    void setModel(const streaming::ModelLoader& model);
    void setWords(const streaming::WordsLoader& words, const streaming::ModelLoader& model);
    void setHistoryMegabytes(int megabytes) { historyBytes_ = std::int64_t{megabytes} << 20; }
    void setKeepsAudio(bool keeps);
    bool keepsAudio() const { return keepsAudio_; }

    streaming::Session& session() { return session_; } // the live one, also during a bounce
    const streaming::Session& session() const { return session_; }
    // The history of the last bounce, which may still run; null: there was none.
    std::shared_ptr<streaming::LiveHistory> bounce() const;

  private:
    streaming::SessionSettings settingsNow() const;
    void start(bool offline);
    void stop();
    streaming::Session& makeBounce();
    template <typename Sample>
    void listen(const juce::AudioBuffer<Sample>& audio, const Block& block) noexcept;

    const Parameters& parameters_;
    EventOutputs& outputs_;
    MidiOut& midi_;

    std::mutex lifecycle_;    // guards the sessions' start and stop
    RealtimeBarrier barrier_; // open while a session runs
    double sampleRate_ = 0.0;
    streaming::Session* running_ = nullptr; // null: none runs. It changes while the barrier is closed
    streaming::SessionSettings settings_;   // its present settings
    std::atomic<std::uint64_t> leftOut_ = 0;
    std::atomic<std::int64_t> historyBytes_ = streaming::SessionSettings().historyBytes;
    std::atomic<bool> keepsAudio_ = false;

    Transport transport_;   // the audio thread's
    bool lockstep_ = false; // the audio thread's: it waited until the last block was heard

    mutable std::mutex mutex_;      // guards the next three members
    streaming::ModelLoader loader_; // that of the model, for the next bounce
    // While a bounce runs. It is changed while the barrier is closed, so that the audio thread may read it.
    std::unique_ptr<streaming::Session> bounceSession_;
    std::shared_ptr<streaming::LiveHistory> bounce_; // of the last bounce; null: there was none

    streaming::Session session_;
};

} // namespace earshot::plugin
