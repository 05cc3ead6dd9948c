// Sends events as they happen, to MIDI, OSC and the event log, which the environment variable
// EARSHOT_EVENT_LOG names (for tests of hosts, and to find faults). The log has the events that MIDI and OSC
// send, judged live after each pass (Streaming/LiveEvents.h), in a bounce as well: they may differ from those
// of its finished history. The session's listener calls heard().
//   heard()           the worker
//   released()        the host's lifecycle, once the worker has stopped
//   sends(), tail()   any thread, the audio thread included
//   the rest          any thread but the audio thread
#pragma once

#include "Core/Detection/Events/Rules.h"
#include "Core/Formats/EventLog.h"
#include "Core/Streaming/LiveEvents.h"
#include "Core/Streaming/Session.h"
#include "Plugin/Outputs/InstanceNumber.h"
#include "Plugin/Outputs/MidiOut.h"
#include "Plugin/Outputs/OscOut.h"
#include "Plugin/Parameters/Parameters.h"
#include "Ui/Control/OutputControl.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace earshot::plugin {

class EventOutputs : public ui::OutputControl {
  public:
    EventOutputs(const Parameters& parameters, MidiOut& midi);

    void heard(const streaming::Published& published);
    void released(const streaming::Status& status);

    bool sends() const noexcept; // whether MIDI out or OSC is on
    // Seconds of silence after a sound by whose end its note has ended and its OSC message is sent.
    double tail() const noexcept;

    std::function<void()> onStored; // what a project stores has changed

    // ui::OutputControl. OSC goes to another computer only after the user has allowed it (UserLists.h), as
    // one does who turns it on or enters a host.
    ui::OutputSettings settings() const override;
    void set(const ui::OutputSettings& settings) override;
    juce::String problem() const override;
    juce::String hostToAllow() const override;
    void allowHost() override;
    void restore(const ui::OutputSettings& settings); // a project's
    // What tells this instance apart in OSC and in the event log: the user's name for it, else that of its
    // track, where the host gives one, else a number.
    juce::String instance() const;
    void setTrackName(const juce::String& name);
    // Writes a note to the event log, if there is one.
    void logNote(const std::string& text) { log_.note(text); }

  private:
    struct Sounding {
        int velocity = 1;
        formats::MidiNote note = {};
        std::optional<std::uint32_t> begun = {}; // returned by MidiOut::begin(); none: it has had no note yet
        std::optional<std::int64_t> againFrom = {}; // the column from which an ended note begins again
    };

    void connect();
    void follow(const streaming::Published& published, const ui::OutputSettings& settings);
    void report(const streaming::LiveChange& change, const streaming::Published& published,
                const ui::OutputSettings& settings);
    void updateNotes(const streaming::LiveChange& change, const streaming::Published& published,
                     const ui::OutputSettings& settings);
    void beginNotes(const streaming::Published& published, const ui::OutputSettings& settings);
    void end(const Sounding& sounding);
    void sendActivation(const streaming::Published& published);

    const Parameters& parameters_;
    MidiOut& midi_;
    OscOut osc_;
    std::atomic<bool> sendsOsc_ = false;

    formats::EventLog log_;

    const InstanceNumber number_;

    mutable std::mutex mutex_; // guards the next four members; held for copying only
    ui::OutputSettings settings_;
    juce::String allowedHost_; // allowed in this instance; needed if the user's list cannot be written
    juce::String hostToAllow_;
    juce::String trackName_;

    // Only the worker uses these.
    streaming::LiveEvents events_;
    std::vector<streaming::LiveChange> changes_;
    std::optional<detection::RuleChoice> choice_; // the choice that rules_ was made from
    detection::EventSettings rules_;
    std::map<int, Sounding> sounding_; // what sounds, by class
    double begunAt_ = 0.0;             // seconds of the history that former streams have told
    std::int64_t columnsSent_ = 0;     // columns sent as /earshot/activation or passed over
    std::int64_t logged_ = 0;          // events of this stream in the log
};

} // namespace earshot::plugin
