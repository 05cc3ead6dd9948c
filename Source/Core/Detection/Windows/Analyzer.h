// Samples in, columns and events out: the one path of the command line, the app and the plugin. Log-mel
// frontend -> Windowing -> network -> Timeline -> events.
//
// The columns depend on the samples alone: in one call or in any blocks, the same samples give the same
// columns and events, bit for bit, with any AnalyzerSettings::threads. (A pass on several threads may round
// differently on CPUs without AVX512, and so may a pass with another hop.) Memory grows with the kept
// probabilities only, unless they are forgotten. A window that equals the one before (digital silence) costs
// no pass.
//
// push() does everything at once. A live stream calls feed() and runNext() instead, so that it can do other
// work between two passes; together they do the same. push(), runNext() and finish() throw the model's
// exceptions. Call reset() before going on after one. One thread at a time (the worker); the rules of
// Timeline about threads hold too.
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
    // Also publish columns that later windows will replace (first result after 0.64 s). Settled columns do
    // not depend on it.
    bool provisional = false;
    // How many windows run at once, each on a thread of its own, if push() gets enough of them and the model
    // can make others of its kind (TokenModel::another). With 1, the passes of the calling thread use as many
    // threads as it has set (tensor::setThreadCount).
    int threads = 1;
    // After a stop request no more windows begin, and finish() settles the columns so far. Passes count as
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

    // Like push(), but runs no window.
    void feed(std::span<const float> samples);
    // How many windows could run now.
    std::int64_t waiting() const;
    // Runs the first of them. Returns false if there is none.
    bool runNext();
    // Drops all of them except the newest, and returns how many. Columns that no window reaches become zeros.
    std::int64_t skipLate();

    // Ends the recording and settles every column. Call reset() before the next push.
    void finish();
    void reset();

    // Continues with another mode or hop; columns so far stay. Throws earshot::Error as the constructor does,
    // and then changes nothing.
    void change(Mode mode, int hopTokens);
    // (frames, melBands) in dB: the log-mel frames since the last call, or since the last push() or feed()
    // began, each once and in order. Valid until the next push(), feed() or reset().
    std::span<const float> takeFrames();

    // Frees the memory of columns before that one, which are settled: see Timeline::forget().
    void forget(std::int64_t before);

    const Timeline& timeline() const;
    EventList events(const EventSettings& settings) const;
    std::int64_t passes() const; // passes so far: windows without those that equal the one before
    PassShape shape() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::detection
