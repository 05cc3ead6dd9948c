// The worker's part of a Session: takes audio from the ring, runs the analyzer and writes the results to the
// LiveHistory, which other threads read. Session.h states the guarantees. The worker's thread.
#pragma once

#include "Core/Audio/Resampler.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Streaming/AudioRing.h"
#include "Core/Streaming/CatchUp.h"
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
    using Clock = LoadMeter::Clock;
    using Listener = std::function<void(const Published&)>;

    explicit StreamAnalysis(LiveHistory& history)
        : history_(history) {}

    // These throw earshot::Error if the model does not support the request.
    void setModel(LoadedModel model);
    void setSettings(const SessionSettings& settings);
    // Whether the model that runs gives what the words' scorer takes. If so, setWords() goes on with them.
    bool canScore(const LoadedWords& words) const;
    void setWords(LoadedWords words);
    void setNotice(const std::string& notice); // shown until the next model or words
    void begin(AudioRing& ring, bool offline, Listener listener);
    // Takes new audio and runs at most one window. Returns false if nothing is left to do for now.
    bool step();
    // Ends the released stream. Analyses what is left of its audio, offline until `until` and live for a
    // tenth of a second; windows that are left then are skipped, and count as such. May throw.
    void end(Clock::time_point until);
    void close(); // call it after end(), even if that threw

    void dropModel();
    bool hasModel() const { return analyzer_ != nullptr; }
    bool streams() const { return ring_ != nullptr; }
    bool bounces() const { return streams() && offline_; }
    bool anyPushed() const { return streams() && ring_->position() > 0; }
    std::int64_t taken() const { return taken_; } // the stream position up to which audio was taken
    // Takes new audio, which is kept if it is to be, but not heard. Replaces step() while no model works.
    void keepOnly();
    // Tells the listener that the history has ended, after an error or before another model.
    void abandon();

  private:
    // Where the present history lies in the stream, and whether the listener knows of it.
    struct Begun {
        std::int64_t origin = 0; // position at which it begins
        double from = 0.0;       // see Published::from
        bool continued = false;  // it goes on after a gap
        bool told = false;       // the listener was called for it
    };

    void chooseAnalyzer();
    void applySettings();
    void limitHistory();
    void restart(std::int64_t origin);
    void beginAt(std::int64_t origin, std::int64_t column = 0);
    bool beginAgain();
    void resume();
    void hearAgain();
    HopGovernor::Limits hopLimits() const;
    void setHop(const HopGovernor::Limits& limits);
    bool takeAudio(bool all = false);
    void takePart(const AudioRing::Part& part);
    void feed(std::span<const float> samples);
    void feedSilence(std::int64_t samples);
    void analyse(std::span<const float> resampled);
    void noteTime(std::int64_t position, const HostTime& host);
    void adaptHop();
    void runWindow();
    enum class Tell { nothing, goesOn, ended };
    void deliver(Tell notify);
    void publish(bool ended, bool goesOn = false);
    void addToHistory();
    void measureDelays();
    void showNumbers();
    void showState();
    void showAll();
    void putNumbers(Status& status) const;
    void putState(Status& status) const;
    double streamSeconds(std::int64_t position) const;
    double heard() const;

    LiveHistory& history_;
    SessionSettings settings_;
    LoadedModel model_; // without the network, which the analyzer owns
    std::unique_ptr<detection::Analyzer> analyzer_;
    std::unique_ptr<detection::Analyzer> live_; // while a bounce has the plain network (LoadedModel::plain)

    // The stream:
    AudioRing* ring_ = nullptr;
    bool offline_ = false;
    Listener listener_;
    std::optional<audio::Resampler> resampler_; // null before the history's first model
    CatchUp catchUp_;                           // with kept audio
    Begun begun_;
    std::int64_t taken_ = 0;        // position up to which audio was taken from the ring
    double analysed_ = 0.0;         // stream seconds that windows have covered
    HostTime host_;                 // the last transport time from the ring
    std::int64_t hostPosition_ = 0; // the position of host_
    HopGovernor governor_;
    DelayMeter delays_;
    LoadMeter load_;
    Clock::time_point shown_{}; // when the numbers were last shown
    std::int64_t columns_ = 0;  // columns whose delay was measured
    std::int64_t skipped_ = 0;  // skipped windows
    std::vector<float> resampled_;
};

} // namespace earshot::streaming
