// Defines the parameters with their texts for hosts and users, and gives the engine their values.
// Ui/ParameterIds.h has the identifiers.
//   constructor   message thread
//   chosenRules(), rules(), setClassThresholds()   any thread but the audio thread
//   restore(), followColumns()   any thread but the audio thread
//   other readers   any thread, the audio thread included: one atomic load each
#pragma once

#include "Core/Detection/Events/Rules.h"
#include "Core/Streaming/Session.h"

#include <juce_audio_processors/juce_audio_processors.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <string>

namespace earshot::plugin {

// The rules of events as they were chosen, for labels and columns that are not known yet.
struct ChosenRules {
    detection::RuleChoice common;                 // without median and thresholds of single classes
    double median = 0.0;                          // seconds; 0: none
    std::map<std::string, float> classThresholds; // by the names of classes

    // secondsPerColumn: the model's.
    detection::RuleChoice of(const detection::Labels& labels, double secondsPerColumn) const;
};

class Parameters {
  public:
    explicit Parameters(juce::AudioProcessor& processor);

    juce::AudioProcessorValueTreeState tree;
    juce::RangedAudioParameter& bypass() const { return *bypass_; }

    bool bypassed() const noexcept { return bypassed_.load(std::memory_order_relaxed) >= 0.5f; }
    bool midiOut() const noexcept { return midiOut_.load(std::memory_order_relaxed) >= 0.5f; }
    // How much later Hop, Join gaps under, Median and Hold let a note end, in seconds.
    double endDelay() const noexcept;
    // Which channel is analyzed, as audio::ReadOptions has it: from 1, the mix, or, of recordings, each. Of a
    // live stream each means the mix.
    int channel() const noexcept;
    double holdSeconds() const noexcept { return static_cast<double>(hold_.load(std::memory_order_relaxed)); }
    ChosenRules chosenRules() const;
    // Returns the rules of events for lists, MIDI and OSC. secondsPerColumn: the model's.
    detection::RuleChoice rules(const detection::Labels& labels, double secondsPerColumn) const;
    // Sets thresholds by the names of classes. They are no parameters, because each model has other classes.
    void setClassThresholds(const std::map<std::string, float>& thresholds);
    streaming::SessionSettings sessionSettings() const noexcept;

    // Sets all parameters to a project's values, or to their defaults. Hop and median filter of an old
    // project are in columns (Ui/ParameterIds.h), and become seconds.
    void restore(std::map<std::string, float> values);
    // Sets the parameters in seconds where a host has changed those in columns, as it automates an old
    // project.
    void followColumns();

  private:
    juce::RangedAudioParameter* bypass_;
    const std::atomic<float>&threshold_, &release_, &minDuration_, &mergeGap_, &median_, &mode_, &hop_,
        &midiOut_, &hold_, &bypassed_, &channel_;
    mutable std::mutex mutex_; // held for copying only
    std::map<std::string, float> classThresholds_;

    void noteColumns();
    // Held while values are set. The host hears of them, and may call back from there.
    std::recursive_mutex columnsMutex_;
    bool restoring_ = false;
    std::array<float, 2> columns_{}; // the values in columns, as last seen
};

} // namespace earshot::plugin
