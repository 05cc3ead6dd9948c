// The worker's part of a live stream: takes audio from the ring, runs the analyzer and shows what it says.
// Session.h says what is promised. The worker's thread; what others may see goes into the LiveHistory.
#pragma once

#include "Core/Audio/Resampler.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Streaming/AudioRing.h"
#include "Core/Streaming/HopGovernor.h"
#include "Core/Streaming/LiveHistory.h"
#include "Core/Streaming/Meters.h"
#include "Core/Streaming/Session.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::streaming {

class StreamAnalysis {
  public:
    using Listener = std::function<void(const Published&)>;

    explicit StreamAnalysis(LiveHistory& history)
        : history_(history) {}

    // These throw earshot::Error when the model cannot do what is asked.
    void setModel(LoadedModel model);
    void setSettings(const SessionSettings& settings);
    void begin(AudioRing& ring, bool offline, Listener listener);
    // Takes what has come in and runs at most one window. False: there is nothing to do for now.
    bool step();
    // The stream was released. Offline: analyses all that is left; live: what can be had quickly. May throw.
    void end();
    void close(); // after end(), however it went

    void dropModel();
    bool hasModel() const { return analyzer_ != nullptr; }
    bool streams() const { return ring_ != nullptr; }
    bool bounces() const { return streams() && offline_; }
    bool anyPushed() const { return streams() && ring_->position() > 0; }
    // Instead of step(), while there is no model that works: throws audio away.
    void discard();
    // After an error: tells the listener that nothing goes on. The next audio begins a new history.
    void abandon();

  private:
    using Clock = LoadMeter::Clock;

    void applySettings();
    void limitHistory();
    void restart(std::int64_t origin);
    HopGovernor::Limits hopLimits() const;
    void setHop(const HopGovernor::Limits& limits);
    bool takeAudio();
    void takePart(const AudioRing::Part& part);
    void feed(std::span<const float> samples);
    void feedSilence(std::int64_t samples);
    void noteTime(std::int64_t position, const HostTime& host);
    void adaptHop();
    void runWindow();
    void publish(bool ended);
    void measureDelays();
    void showNumbers();
    void showState();
    double streamSeconds(std::int64_t position) const;
    double heard() const;

    LiveHistory& history_;
    SessionSettings settings_;
    LoadedModel model_; // its network is the analyzer's
    std::unique_ptr<detection::Analyzer> analyzer_;

    // Of the stream:
    AudioRing* ring_ = nullptr;
    bool offline_ = false;
    Listener listener_;
    std::optional<audio::Resampler> resampler_;
    std::int64_t taken_ = 0;        // position up to which audio was taken from the ring
    std::int64_t origin_ = 0;       // position at which the history begins
    bool restarted_ = true;         // the listener does not know of the present history yet
    HostTime host_;                 // the transport as it was last told,
    std::int64_t hostPosition_ = 0; // and where
    HopGovernor governor_;
    DelayMeter delays_;
    LoadMeter load_;
    Clock::time_point shown_{}; // when the numbers of the status were last written
    std::int64_t columns_ = 0;  // the listener and the delay meter know
    std::int64_t skipped_ = 0;  // windows
    std::vector<float> resampled_;
};

} // namespace earshot::streaming
