// Samples in, columns and events out: the one path behind the command line, the app and the plugin.
// Log-mel frontend -> Windowing -> network -> Timeline -> events.
//
// The columns depend on the samples alone: the same samples in one call or cut into any blocks give the same
// columns and events, bit for bit, with any AnalyzerSettings::threads. (A pass on several threads may round
// otherwise on CPUs without AVX512, and so may one with another hop.) Memory grows by the kept probabilities
// only, unless they are forgotten. A window that equals the one before (digital silence) costs no pass of the
// network.
//
// push() does everything at once. A live stream takes it apart into feed() and runNext(), so that it can see
// to other things between two passes of the network; together they do the same.
// What the model throws comes out of push(), runNext() and finish(); then reset() before going on.
// One thread at a time (the worker); what timeline() says about threads holds too.
#pragma once

#include "Core/Base/Stop.h"
#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Windows/Timeline.h"
#include "Core/Detection/Windows/TokenModel.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Frontend/LogMel.h"

#include <cstdint>
#include <memory>
#include <span>

namespace earshot::detection {

struct AnalyzerSettings {
    Mode mode = Mode::automatic;
    int hopTokens = 8; // windows advance by this many tokens (32 frames each)
    // Also publish columns that later windows will replace (first result after 0.64 s). Settled columns are
    // the same with and without.
    bool provisional = false;
    // Windows run at once, each on one thread of its own, where push() is given enough of them and the model
    // has others of its kind (TokenModel::another). With 1 the calling thread's passes use as many threads as
    // it has stated (tensor::setThreadCount).
    int threads = 1;
    // Once it is asked to stop no more windows begin, and finish() settles what is there. Passes count as
    // signs of life.
    StopToken stop = {};
};

class Analyzer {
  public:
    Analyzer(std::unique_ptr<TokenModel> model, frontend::LogMelSettings frontend,
             const AnalyzerSettings& settings);
    ~Analyzer();

    // Mono samples at the model's rate. Values that are not finite count as silence.
    void push(std::span<const float> samples);

    // Likewise, but runs no window.
    void feed(std::span<const float> samples);
    // Windows that could run now.
    std::int64_t waiting() const;
    // Runs the first of them; false when there is none.
    bool runNext();
    // Drops all of them but the newest; says how many. Columns that no window reaches become zeros.
    std::int64_t skipLate();

    // The recording ends: settles every column. Call reset() before pushing again.
    void finish();
    void reset();

    // Goes on with another mode or hop; what was heard so far stays. Throws earshot::Error as the constructor
    // does, and then nothing has changed.
    void change(Mode mode, int hopTokens);
    // (frames, melBands) in dB: the log-mel frames, each once and in order, that came since the last call, or
    // since the last push() or feed() began. Valid until the next push(), feed() or reset().
    std::span<const float> takeFrames();

    // Gives back the memory of columns before that one, which are settled: see Timeline::forget().
    void forget(std::int64_t before);

    const Timeline& timeline() const;
    EventList events(const EventSettings& settings) const;
    std::int64_t passes() const; // of the network so far: windows, without those that equal the one before
    PassShape shape() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::detection
