#include "Plugin/Outputs/EventOutputs.h"

#include "Core/Base/Platform/System.h"
#include "Core/Formats/Fields.h"
#include "Plugin/Base/UserLists.h"
#include "Ui/CatchAll.h"
#include "Ui/Panels/Widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

namespace earshot::plugin {

namespace {

constexpr const char* logVariable = "EARSHOT_EVENT_LOG";
constexpr std::size_t maxActivations = 32; // in a message
constexpr double heardAgain = 0.32;        // seconds of a sound after a bypass before its note begins
constexpr double sureBy = 2.0;             // seconds after the end of a sound, with the shortest hop

constexpr int maxCharacters = 200; // of a text, so that messages fit into datagrams

// Converts a label to a valid string. A label file may not be UTF-8, which juce::String requires.
juce::String oscText(const std::string& label) {
    return juce::String::createStringFromData(label.data(), static_cast<int>(label.size()))
        .substring(0, maxCharacters);
}

// Adds a time as its whole seconds and the rest. A float alone is off by 0.03 s after a week. OSC's double is
// none of the types that each receiver knows: JUCE's drops a message that has one.
void addTime(juce::OSCMessage& message, double seconds) {
    const double whole = std::floor(seconds);
    const bool fits = std::abs(whole) < static_cast<double>(std::numeric_limits<juce::int32>::max());
    message.addInt32(fits ? static_cast<juce::int32>(whole) : 0);
    message.addFloat32(static_cast<float>(fits ? seconds - whole : seconds));
}

} // namespace

EventOutputs::EventOutputs(const Parameters& parameters, MidiOut& midi)
    : parameters_(parameters)
    , midi_(midi)
    , log_(platform::environment(logVariable).value_or(std::string()), logVariable) {}

void EventOutputs::set(const ui::OutputSettings& changed) {
    ui::catchAll([&] {
        const ui::OutputSettings before = settings();
        const bool chosen = changed.osc && (!before.osc || changed.oscHost.trim() != before.oscHost.trim());
        restore(changed);
        if (chosen) allowHost();
    });
    if (onStored) onStored();
}

void EventOutputs::restore(const ui::OutputSettings& settings) {
    {
        const std::scoped_lock lock(mutex_);
        settings_ = settings;
    }
    connect();
}

bool EventOutputs::sends() const noexcept { return parameters_.midiOut() || sendsOsc_; }

double EventOutputs::tail() const noexcept { return sends() ? sureBy + parameters_.endDelay() : 0.0; }

void EventOutputs::connect() {
    const ui::OutputSettings settings = this->settings();
    const juce::String host = settings.osc ? settings.oscHost.trim() : juce::String();
    const bool known = host.isEmpty() || mayReceive(host);
    bool allowed = false;
    {
        const std::scoped_lock lock(mutex_);
        allowed = known || host == allowedHost_;
        hostToAllow_ = allowed ? juce::String() : host;
    }
    sendsOsc_ = allowed && host.isNotEmpty();
    osc_.connect(allowed ? host : juce::String(), settings.oscPort);
}

void EventOutputs::allowHost() {
    ui::catchAll([this] {
        const juce::String host = settings().oscHost.trim();
        if (!isThisComputer(host)) allowToReceive(host);
        {
            const std::scoped_lock lock(mutex_);
            allowedHost_ = host;
        }
        connect();
    });
}

juce::String EventOutputs::hostToAllow() const {
    const std::scoped_lock lock(mutex_);
    return hostToAllow_;
}

ui::OutputSettings EventOutputs::settings() const {
    const std::scoped_lock lock(mutex_);
    return settings_;
}

juce::String EventOutputs::problem() const {
    const juce::String network = osc_.problem(), log = ui::toText(log_.problem());
    const std::scoped_lock lock(mutex_);
    if (hostToAllow_.isNotEmpty())
        return "OSC is off: the project would send events to another computer, " + hostToAllow_ +
               ". Allow it in the settings, under OSC";
    return network.isNotEmpty() ? network : log;
}

juce::String EventOutputs::instance() const {
    const std::scoped_lock lock(mutex_);
    for (const juce::String& name : {settings_.instance, trackName_})
        if (name.trim().isNotEmpty()) return name.trim().substring(0, maxCharacters);
    return juce::String(number_.get());
}

void EventOutputs::setTrackName(const juce::String& name) {
    const std::scoped_lock lock(mutex_);
    trackName_ = name;
}

void EventOutputs::heard(const streaming::Published& published) {
    const ui::OutputSettings settings = this->settings();
    if (published.restarted) {
        changes_.clear();
        events_.end(changes_);
        events_.beginAt(published.from, published.continued);
        for (const auto& [classIndex, sounding] : sounding_) end(sounding);
        sounding_.clear();
        choice_.reset();
        begunAt_ = std::min(begunAt_, published.from);
        columnsSent_ = std::llround(published.from / published.timeline.secondsPerColumn());
        log_.begin();
    }
    detection::RuleChoice choice = parameters_.rules(published.labels, published.timeline.secondsPerColumn());
    if (!choice_ || *choice_ != choice) {
        rules_ = detection::eventSettings(choice, published.labels);
        choice_ = std::move(choice);
    }
    follow(published, settings);
}

void EventOutputs::follow(const streaming::Published& published, const ui::OutputSettings& settings) {
    changes_.clear();
    events_.follow(published.timeline, rules_, changes_);
    if (published.ended) events_.end(changes_, published.goesOn);
    if (published.goesOn) choice_.reset(); // the next labels are others
    for (const streaming::LiveChange& change : changes_) report(change, published, settings);
    beginNotes(published, settings);
    if (settings.osc && settings.oscActivation) {
        sendActivation(published);
    } else {
        columnsSent_ = published.timeline.columns();
    }
}

void EventOutputs::report(const streaming::LiveChange& change, const streaming::Published& published,
                          const ui::OutputSettings& settings) {
    if (change.event.classIndex < 0 || change.event.classIndex >= published.labels.count()) return;
    updateNotes(change, published, settings);
    if (change.kind != streaming::LiveChange::Kind::offset) return;

    // The host may have looped since the onset, so the duration is measured in stream time.
    const std::string& label = published.labels.name(change.event.classIndex);
    const double onset = published.times.shown(change.event.onset);
    const double offset = onset + (change.event.offset - change.event.onset);
    if (settings.osc) {
        juce::OSCMessage message("/earshot/event", oscText(label), static_cast<float>(onset),
                                 static_cast<float>(offset), change.event.peak, instance());
        addTime(message, onset);
        addTime(message, offset);
        osc_.send(std::move(message));
    }
    if (!log_.wanted()) return;
    formats::RecordingEvents one;
    one.file = "live";
    one.events = {{onset, offset, label, change.event.classIndex, change.event.peak, change.event.mean}};
    log_.add(one, instance().toStdString());
    ++logged_;
}

void EventOutputs::updateNotes(const streaming::LiveChange& change, const streaming::Published& published,
                               const ui::OutputSettings& settings) {
    const int classIndex = change.event.classIndex;
    if (change.kind == streaming::LiveChange::Kind::onset) {
        sounding_.try_emplace(classIndex,
                              Sounding{.velocity = formats::MidiMap::velocity(change.event.peak)});
        beginNotes(published, settings); // at once, because the sound may be over in this pass
    } else if (const auto found = sounding_.find(classIndex); found != sounding_.end()) {
        end(found->second);
        sounding_.erase(found);
    }
}

// Begins the notes of what sounds and has none. The audio thread ends all notes while MIDI out is off or
// Earshot is bypassed. A sound that goes on after that has its note again once it was heard for a while:
// nothing is heard during a bypass, in which it may have ended.
void EventOutputs::beginNotes(const streaming::Published& published, const ui::OutputSettings& settings) {
    if (!parameters_.midiOut()) return;
    const detection::Timeline& timeline = published.timeline;
    const std::int64_t columns = timeline.columns();
    for (auto& [classIndex, sounding] : sounding_) {
        if (sounding.begun) {
            if (!midi_.endedSince(*sounding.begun)) continue;
            if (!sounding.againFrom)
                sounding.againFrom = columns + std::llround(heardAgain / timeline.secondsPerColumn());
            const float newest = timeline.column(columns - 1)[static_cast<std::size_t>(classIndex)];
            if (columns < *sounding.againFrom || newest < rules_.ruleFor(classIndex).off) continue;
            sounding.againFrom.reset();
        }
        sounding.note = settings.midi.noteFor(published.labels.key(classIndex));
        sounding.begun = midi_.begin(sounding.note, sounding.velocity);
    }
}

void EventOutputs::end(const Sounding& sounding) {
    if (sounding.begun) midi_.end(sounding.note, *sounding.begun);
}

void EventOutputs::sendActivation(const streaming::Published& published) {
    const detection::Timeline& timeline = published.timeline;
    std::vector<std::pair<float, int>> sounding;
    const juce::String from = instance();
    for (; columnsSent_ < timeline.columns(); ++columnsSent_) {
        const std::span<const float> column = timeline.column(columnsSent_);
        sounding.clear();
        for (int classIndex = 0; classIndex < timeline.classes(); ++classIndex) {
            const float probability = column[static_cast<std::size_t>(classIndex)];
            if (probability >= rules_.ruleFor(classIndex).off) sounding.emplace_back(probability, classIndex);
        }
        const auto kept =
            sounding.begin() + static_cast<std::ptrdiff_t>(std::min(sounding.size(), maxActivations));
        std::partial_sort(sounding.begin(), kept, sounding.end(), std::greater<>());
        juce::OSCMessage message("/earshot/activation");
        const double time = published.times.shown(timeline.start(columnsSent_));
        message.addFloat32(static_cast<float>(time));
        for (auto sound = sounding.begin(); sound != kept; ++sound) {
            message.addString(oscText(published.labels.name(sound->second)));
            message.addFloat32(sound->first);
        }
        message.addString(from);
        addTime(message, time);
        osc_.send(std::move(message));
    }
}

void EventOutputs::released(const streaming::Status& status) {
    sounding_.clear();
    if (status.heard > begunAt_) {
        log_.note(fmt::format(
            "{} events in {:.2f} s with {}, {} chunks dropped, {} windows skipped{}, instance {}", logged_,
            status.heard - begunAt_, status.model.empty() ? "no model" : status.model, status.droppedChunks,
            status.skippedWindows,
            status.notAnalysed > 0.0 ? fmt::format(", the last {:.2f} s not analysed", status.notAnalysed)
                                     : std::string(),
            formats::oneLine(instance().toStdString())));
        log_.flush();
        logged_ = 0;
    }
    begunAt_ = status.heard;
}

} // namespace earshot::plugin
