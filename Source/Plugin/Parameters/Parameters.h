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
#include <optional>
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

// The common threshold (detection::RuleChoice) that the sensitivity and the threshold of older versions give:
// the one that changed last decides. A threshold counts as it is, to the bit.
class MovedThreshold {
  public:
    float of(float sensitivity, float old);
    // Of a project: its sensitivity decides, unless the threshold says the same.
    void restore(float sensitivity, float old);
    // Returns the sensitivity that the threshold asks for, if it is another. To set it then changes nothing.
    std::optional<float> follow();

  private:
    static bool isNear(float sensitivity, std::optional<float> other);

    float sensitivity_ = 0.0f, old_ = detection::defaultThreshold; // as last seen
    float threshold_ = detection::defaultThreshold;
    std::optional<float> followed_; // what follow() asked for
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
    // Which channel is analysed, as audio::ReadOptions has it: from 1, the mix, or, of recordings, each. Of a
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
    // project are in columns (Ui/ParameterIds.h), and become seconds; its threshold becomes a sensitivity.
    void restore(std::map<std::string, float> values);
    // Sets the parameters in seconds where a host has changed those in columns, and the sensitivity where it
    // has changed the threshold, as it automates an old project.
    void followColumns();

  private:
    juce::RangedAudioParameter* bypass_;
    const std::atomic<float>&sensitivity_, &threshold_, &release_, &minDuration_, &mergeGap_, &median_,
        &mode_, &hop_, &midiOut_, &hold_, &bypassed_, &channel_;
    mutable std::mutex mutex_; // held for copying only
    std::map<std::string, float> classThresholds_;
    mutable MovedThreshold moved_;

    float threshold() const; // with the mutex held
    void followThreshold();
    void noteColumns();
    // Held while values are set. The host hears of them, and may call back from there.
    std::recursive_mutex columnsMutex_;
    bool restoring_ = false;
    std::array<float, 2> columns_{}; // the values in columns, as last seen
};

} // namespace earshot::plugin
