// Analyses a live stream. The audio thread pushes blocks to a ring buffer; a worker thread analyses them.
//
//   prepare(), release()   any one thread at a time (a mutex guards them): stop, reset, start
//   push()                 the audio thread, between prepare() and release(); wait-free
//   pushAndWait()          as push(), for offline bounces: waits for room instead of dropping, or in lockstep
//   everything else        any thread but the audio thread; nothing waits for a pass or for loading
//
// A full ring drops the chunk, counts it and advances the sample position. The worker fills the gap with
// zeros, so that time never drifts. On a machine that is too slow, the worker lengthens the hop, and shortens
// it again once passes are fast enough. If the longest hop does not suffice, it skips windows, so that the
// backlog never grows. A model loads on a thread of its own (Base/BackgroundThread.h) and may go on loading
// from one stream to the next. Audio that arrives meanwhile waits in the ring. A new model starts a new
// history. It begins with the audio that was kept, if that has the new model's rate: the model hears it
// again, and then goes on with the stream. A new mode or hop continues the present history. So does a live
// stream that follows a live one with the same model, at any rate: it begins where the next column does.
// Without a model, the state is failed and audio is not analysed.
//
// prepare(), release() and the destructor wait for the running pass, and at most half a second for anything
// else. A model that is still loading then continues to load; the destructor abandons it.
//
// Offline (pushAndWait), no audio is dropped, no hop lengthened and no window skipped. release() analyses all
// pushed audio and ends the recording, so that columns and events equal those of `analyzeFile` for the same
// samples. It therefore waits for a loading model as long as the model's file can be read, but no longer than
// it is given in all. What is then missing is counted: Status::skippedWindows and notAnalysed.
// In lockstep, pushAndWait() returns once every window that the pushed audio completes has been heard and the
// listener told. What the listener sends then comes at the same time in every bounce, however fast the host
// is. It takes longer, because the host and the worker take turns.
// History stays readable after release(), until another one begins. A live history has a limit
// (SessionSettings), over which the oldest columns and frames are forgotten. A bounce keeps everything.
#pragma once

#include "Core/Base/Realtime.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Streaming/HistoryProvider.h"
#include "Core/Streaming/Loaders.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace earshot::streaming {

class LiveHistory;

struct SessionSettings {
    static constexpr double bounceHop = 0.32; // seconds: the automatic hop offline

    detection::Mode mode = detection::Mode::automatic;
    // Seconds between windows, rounded to the model's tokens: at least one, at most the mode's longest hop.
    // 0: automatic. That is bounceHop offline; live it is the shortest hop that takes at most 15 % of a core
    // (HopGovernor::automaticLoad).
    double hopSeconds = 0.32;
    int threads = 1;                       // threads of a pass
    std::int64_t historyBytes = 128 << 20; // limit of a live stream's history; see LiveHistory.h
    int channel = 0; // of recordings alone, as audio::ReadOptions has it: what is pushed is mono

    bool operator==(const SessionSettings&) const = default;
};

// The state of the analysis after a pass, for a listener on the worker (MIDI and OSC outputs).
struct Published {
    // The newest columns may still change. Settled columns are forgotten after the call. Only for the worker.
    const detection::Timeline& timeline;
    // Stream seconds. A model or a stream before this one heard what comes before, and that was told then.
    double from = 0.0;
    const detection::Labels& labels;
    const TimeMap& times;
    double heard = 0.0;     // stream seconds pushed so far
    bool restarted = false; // the first call after the history was replaced, or goes on
    bool continued = false; // with `restarted`: the same model told of what sounds across `from`, too
    bool ended = false;     // the last call: the stream was released, or its model was replaced or failed
    // With `ended`: the stream goes on with other words. The next call has other labels.
    bool goesOn = false;
};

class Session : public HistoryProvider {
  public:
    // The ring holds some seconds, so that only a slow or hung model takes this long.
    static constexpr std::chrono::seconds maxBounceEnd{30};

    Session();
    ~Session() override; // releases
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // The worker calls `listener` after every pass and at the end. Set it before prepare().
    void setListener(std::function<void(const Published&)> listener);

    void setModel(ModelLoader loader); // loads at once if a stream runs, else at prepare()
    // Goes on with other words: what is kept is scored again, and the audio that comes meanwhile is not lost.
    // Loads `model`, the present model with those words, where that is not possible. A failure leaves the
    // words as they were, with a message.
    void setWords(WordsLoader words, ModelLoader model);
    void setSettings(const SessionSettings& settings);

    // Starts a stream. `sampleRate` is 1 kHz to 1 MHz; otherwise the state is failed, with a message, until
    // the next call or release(). `offline` announces pushAndWait().
    void prepare(double sampleRate, bool offline);
    // within: how long a bounce may take to end, but for the last two passes.
    void release(std::chrono::milliseconds within = maxBounceEnd);
    // As release(), for the last time: discards audio that is not analysed yet.
    void leave();

    // Any number of mono samples, also none. Non-finite values count as silence.
    void push(std::span<const float> mono, const HostTime& host) noexcept EARSHOT_REALTIME;
    void pushAndWait(std::span<const float> mono, const HostTime& host, bool lockstep = false) noexcept;

    Status status() const override;
    bool copySince(History& copy) const override;

    // Whether the newest audio of streams is kept, at first not: the last ten minutes, at the model's rate
    // and within the history's limit (KeptAudio.h). A new history begins without audio.
    void setKeepsAudio(bool on);
    // As LiveHistory::copyAudio(): what is kept between two times of a stream (History::stream), in seconds.
    bool copyAudio(std::uint64_t stream, double from, double to, std::vector<float>& samples, double& start,
                   int& rate) const;
    // What status(), copySince() and the functions for audio read. It stays when the session goes.
    std::shared_ptr<LiveHistory> history() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::streaming
