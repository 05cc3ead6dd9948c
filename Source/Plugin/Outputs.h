// What leaves Earshot as it happens: MIDI notes, OSC messages, the event log. Listens to the session.
//   heard()      the worker
//   released()   the host's lifecycle, once the worker has stopped
//   the rest     any thread but the audio thread
#pragma once

#include "Core/Detection/Rules.h"
#include "Core/Streaming/LiveEvents.h"
#include "Core/Streaming/Session.h"
#include "Plugin/EventLog.h"
#include "Plugin/MidiOut.h"
#include "Plugin/OscOut.h"
#include "Plugin/Parameters.h"
#include "Ui/Controller.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace earshot::plugin {

class Outputs {
  public:
    Outputs(const Parameters& parameters, MidiOut& midi);

    void heard(const streaming::Published& published);
    void released(const streaming::Status& status);

    void set(const ui::OutputSettings& settings);
    ui::OutputSettings get() const;
    juce::String problem() const;

    void setClassThresholds(const std::map<std::string, float>& thresholds); // by name
    detection::RuleChoice rules(const detection::Labels& labels) const;

  private:
    void follow(const streaming::Published& published, const ui::OutputSettings& settings);
    void report(const streaming::LiveChange& change, const streaming::Published& published,
                const ui::OutputSettings& settings);
    void updateNotes(const streaming::LiveChange& change, const ui::OutputSettings& settings);
    void sendActivation(const streaming::Published& published);

    const Parameters& parameters_;
    MidiOut& midi_;
    OscOut osc_;

    mutable std::mutex mutex_; // the settings below; held for copying only
    ui::OutputSettings settings_;
    std::map<std::string, float> classThresholds_;

    // The worker's.
    streaming::LiveEvents events_;
    std::vector<streaming::LiveChange> changes_;
    std::optional<detection::RuleChoice> choice_; // that rules_ follows from
    detection::EventSettings rules_;
    std::map<int, formats::MidiNote> notes_; // begun and not ended, by class
    std::int64_t columnsSent_ = 0;
    EventLog log_;
};

} // namespace earshot::plugin
