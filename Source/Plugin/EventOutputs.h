// What leaves Earshot as it happens: MIDI notes, OSC messages, the event log. Listens to the session.
//   heard()      the worker
//   released()   the host's lifecycle, once the worker has stopped
//   the rest     any thread but the audio thread
#pragma once

#include "Core/Detection/Events/Rules.h"
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

class EventOutputs {
  public:
    EventOutputs(const Parameters& parameters, MidiOut& midi);

    void heard(const streaming::Published& published);
    void released(const streaming::Status& status);

    // A host beyond this computer hears nothing before the user has allowed it (UserLists.h).
    void set(const ui::OutputSettings& settings);
    void allowHost();                 // the one that is set
    juce::String hostToAllow() const; // that waits for it, or empty
    ui::OutputSettings get() const;
    juce::String problem() const;

  private:
    void connect();
    void follow(const streaming::Published& published, const ui::OutputSettings& settings);
    void report(const streaming::LiveChange& change, const streaming::Published& published,
                const ui::OutputSettings& settings);
    void updateNotes(const streaming::LiveChange& change, const ui::OutputSettings& settings);
    void openLog();
    void sendActivation(const streaming::Published& published);

    const Parameters& parameters_;
    MidiOut& midi_;
    OscOut osc_;

    mutable std::mutex mutex_; // the settings below; held for copying only
    ui::OutputSettings settings_;
    juce::String allowedHost_; // by this instance's user, should the file not keep it
    juce::String hostToAllow_;
    juce::String logProblem_;

    // The worker's.
    streaming::LiveEvents events_;
    std::vector<streaming::LiveChange> changes_;
    std::optional<detection::RuleChoice> choice_; // that rules_ follows from
    detection::EventSettings rules_;
    struct Sounding {
        formats::MidiNote note;
        std::uint32_t begun = 0; // as MidiOut::begin() says
    };
    std::map<int, Sounding> notes_; // begun and not ended, by class
    std::int64_t columnsSent_ = 0;
    EventLog log_;
};

} // namespace earshot::plugin
