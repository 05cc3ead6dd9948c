// Samples in, columns and events out: the one path behind the command line, the app and the plugin.
// Log-mel frontend -> Windowing -> network -> Timeline -> events.
//
// The columns depend on the samples alone: the same samples in one call or cut into any blocks give the same
// columns and events, bit for bit. Memory grows by the kept probabilities only.
// One thread at a time (the worker).
#pragma once

#include "Core/Detection/Events.h"
#include "Core/Detection/Timeline.h"
#include "Core/Detection/TokenModel.h"
#include "Core/Detection/Windowing.h"
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
};

class Analyzer {
  public:
    Analyzer(std::unique_ptr<TokenModel> model, frontend::LogMelSettings frontend, AnalyzerSettings settings);
    ~Analyzer();

    // Mono samples at the model's rate. Values that are not finite count as silence.
    void push(std::span<const float> samples);
    // The recording ends: settles every column. Call reset() before pushing again.
    void finish();
    void reset();

    const Timeline& timeline() const;
    EventList events(const EventSettings& settings) const;
    std::int64_t passes() const; // network passes so far

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::detection
