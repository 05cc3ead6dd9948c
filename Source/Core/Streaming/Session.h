// A live stream: the audio thread pushes blocks into a ring buffer, a worker thread analyses them.
//
//   prepare(), release()   any one thread at a time (a mutex guards them): stop, reset, start
//   push()                 the audio thread, between prepare() and release(); wait-free
//   pushAndWait()          likewise, for offline bounces: waits for room instead of dropping
//   everything else        any thread but the audio thread; nothing waits for a pass or for loading
//
// A full ring drops the chunk, counts it and moves the sample position on; the worker fills the gap with
// zeros, so that time never drifts. When the machine is too slow the worker lengthens the hop (and shortens
// it again once it has room), then skips windows; the backlog never grows. Models load on a thread of their
// own (Base/Job.h), from one stream to the next; audio that arrives meanwhile waits in the ring. A new model
// starts a new history; a new mode or hop goes on with the one there is. Without a model the state is failed
// and audio is thrown away.
//
// prepare(), release() and the destructor wait for the pass that runs, and no longer than half a second for
// anything else: a model that still loads then is loaded on (or, by the destructor, given up).
//
// Offline (pushAndWait) nothing is dropped, lengthened or skipped, and release() analyses all that was pushed
// and ends the recording: columns and events are the same as `analyzeFile` gives for the same samples. For
// that it waits for a model that loads, as long as its file can be read at all.
// History stays readable after release(), until the next prepare(). Live it has a limit (SessionSettings),
// over which the oldest columns and frames go; a bounce keeps all.
#pragma once

#include "Core/Base/Realtime.h"
#include "Core/Base/Stop.h"
#include "Core/Detection/Windows/TokenModel.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Frontend/LogMelSettings.h"
#include "Core/Streaming/Source.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace earshot::streaming {

// A model ready to run, on the worker.
struct LoadedModel {
    std::unique_ptr<detection::TokenModel> network;
    frontend::LogMelSettings frontend;
    std::shared_ptr<const detection::Labels> labels;
    std::string name;
    std::string notice; // to show beside the name: "X is missing: using the default model"; usually empty
    std::string precision = {}; // as Status has it
};

// Throws earshot::Error unless the model names as many sounds as its network tells apart.
void checkLabels(const LoadedModel& model, int classes);

// Makes a model, on a thread that may outlive whoever asked: it owns what it touches. Throws earshot::Error
// (the state becomes failed), or Stopped once the token asks for it. Made from any function of a token or of
// nothing; empty without one.
class ModelLoader {
  public:
    ModelLoader() = default;
    template <typename Load>
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): copies and moves are none of its
    requires(!std::is_same_v<std::remove_cvref_t<Load>, ModelLoader>) ModelLoader(Load&& load) {
        if constexpr (std::is_invocable_v<Load&, const StopToken&>)
            load_ = std::forward<Load>(load);
        else
            load_ = [load = std::forward<Load>(load)](const StopToken&) mutable { return load(); };
    }

    explicit operator bool() const { return static_cast<bool>(load_); }
    LoadedModel operator()(const StopToken& stop = {}) const { return load_(stop); }

  private:
    std::function<LoadedModel(const StopToken&)> load_;
};

// Reads a checkpoint as the command line does (weights are shared between instances).
ModelLoader loaderFor(std::filesystem::path modelFile);

struct SessionSettings {
    detection::Mode mode = detection::Mode::automatic;
    int hopTokens = 1; // windows advance by so many tokens (0.32 s each); more than a mode can is its most
    int threads = 1;   // of a pass
    std::int64_t historyBytes = 128 << 20; // of what is kept of a live stream; see LiveHistory.h

    bool operator==(const SessionSettings&) const = default;
};

// What the worker has just analysed; for whoever acts on it there (MIDI and OSC out).
struct Published {
    // Newest columns may still change, and settled ones are forgotten after the call. On the worker only.
    const detection::Timeline& timeline;
    const detection::Labels& labels;
    const TimeMap& times;
    double heard = 0.0;     // stream seconds pushed by now
    bool restarted = false; // first call after the history was replaced
    bool ended = false;     // nothing follows: the stream was released, or its model is replaced or failed
};

class Session : public Source {
  public:
    Session();
    ~Session() override; // releases
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // Called on the worker after every pass and at the end. Set before prepare().
    void setListener(std::function<void(const Published&)> listener);

    void setModel(ModelLoader loader); // loads at once if a stream runs, else at prepare()
    void setSettings(const SessionSettings& settings);

    // sampleRate: Hz, 1 kHz to 1 MHz; anything else fails with a message. offline: pushAndWait() will be
    // used.
    void prepare(double sampleRate, bool offline);
    void release();
    // release() for the last time: what was pushed and is not analysed yet is of no use any more.
    void leave();

    // Mono samples; any number, none included. Values that are not finite count as silence.
    void push(std::span<const float> mono, const HostTime& host) noexcept EARSHOT_REALTIME;
    void pushAndWait(std::span<const float> mono, const HostTime& host) noexcept;

    Status status() const override;
    bool copySince(History& copy) const override;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::streaming
