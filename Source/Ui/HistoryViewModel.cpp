#include "Ui/HistoryViewModel.h"

#include "Core/Detection/Events/Sebbs.h"
#include "Ui/CatchAll.h"
#include "Ui/ParameterIds.h"
#include "Ui/TimeAxis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace earshot::ui {

namespace {

constexpr int updatesPerSecond = 30;
constexpr int restMilliseconds = 10'000;
constexpr std::size_t maxLiveEvents = 200'000; // those of a recording are all kept

// Returns whether it was another value.
template <typename Value>
bool renew(Value& kept, Value now) {
    const bool differs = now != kept;
    kept = std::move(now);
    return differs;
}
// How far live audio may lag behind the clock before it counts as a gap, in seconds: longer than a
// device's blocks and a busy computer, shorter than a device that was away.
constexpr double maxLag = 0.5;

WallTime clockOfComputer() {
    const auto now = juce::Time::getCurrentTime();
    const int offset = now.getUTCOffsetSeconds();
    return {.milliseconds = now.toMilliseconds() + std::int64_t{1000} * offset, .offset = offset};
}

} // namespace

HistoryViewModel::HistoryViewModel(Controller& controller)
    : clock(clockOfComputer)
    , controller_(controller)
    , parts_(1) {}

HistoryViewModel::~HistoryViewModel() { stopTimer(); }

void HistoryViewModel::addListener(Listener* listener) { listeners_.push_back(listener); }
void HistoryViewModel::removeListener(Listener* listener) { std::erase(listeners_, listener); }

void HistoryViewModel::notify(const Changes& changes) {
    const auto all = listeners_; // a copy, because a listener may remove itself
    for (Listener* listener : all)
        if (std::ranges::find(listeners_, listener) != listeners_.end()) listener->historyChanged(changes);
}

void HistoryViewModel::start() {
    update();
    notify({.replaced = true,
            .columns = true,
            .firstColumn = 0,
            .events = true,
            .status = true,
            .labels = true,
            .words = true,
            .teaching = true,
            .recordings = true});
    startTimerHz(updatesPerSecond);
}

void HistoryViewModel::rest() {
    frozen_ = false;
    startTimer(restMilliseconds);
}

void HistoryViewModel::watch() {
    if (!isTimerRunning()) startTimer(restMilliseconds);
}

void HistoryViewModel::setFrozen(bool frozen) { frozen_ = frozen; }

void HistoryViewModel::timerCallback() {
    try {
        update();
    } catch (...) {
        logCaught("updating the view");
        if (onTrouble) catchAll(onTrouble);
    }
}

juce::String HistoryViewModel::whyNotPlayed() const {
    if (controller_.playback().playable() == nullptr) return "Only recordings in the app can be played";
    return audioProblem_;
}

void HistoryViewModel::update() {
    Changes changes;
    followSource(changes);
    const bool newStatus = renew(status_, controller_.playback().source().status());
    const bool newProblem = renew(audioProblem_, controller_.shell().audioProblem());
    auto problem = controller_.shell().settingsProblem();
    if (problem.isEmpty()) problem = controller_.reviews().problem();
    const bool unstored = renew(unstoredProblem_, std::move(problem));
    changes.status = changes.replaced || newStatus || newProblem || unstored;
    changes.words = renew(words_, controller_.words().state());
    changes.teaching = renew(teaching_, controller_.teaching().state());
    changes.recordings = renew(recordings_, controller_.recordings().state());
    changes.clips = renew(clips_, controller_.clips().state());
    followChannels(changes);
    if (!frozen_) copyHistory(changes);
    deriveEvents(changes);
    followClock();
    if (changes.replaced || changes.columns || changes.events || changes.status || changes.words ||
        changes.teaching || changes.recordings || changes.clips)
        notify(changes);
}

void HistoryViewModel::followSource(Changes& changes) {
    const auto id = controller_.playback().sourceId();
    if (sourceId_ == id) return;
    changes.replaced = sourceId_.has_value();
    sourceId_ = id;
    parts_.clear();
    parts_.emplace_back();
    shown_ = 0;
    wantedChannel_ = 0;
    found_.clear();
    lastOffset_.clear();
    rules_.reset();
    frozen_ = false;
}

// There are parts for the channels that the source has by now, and the wanted one is shown.
void HistoryViewModel::followChannels(Changes& changes) {
    const auto& channels = status_.channels;
    while (parts_.size() < channels.size()) parts_.emplace_back();
    const auto wanted = std::ranges::find(channels, wantedChannel_);
    if (wanted == channels.end()) return;
    const auto place = static_cast<std::size_t>(wanted - channels.begin());
    if (place == std::exchange(shown_, place)) return;
    changes.replaced = changes.sameAudio = changes.columns = changes.labels = true;
    changes.firstColumn = 0;
}

void HistoryViewModel::copyHistory(Changes& changes) {
    const auto& source = controller_.playback().source();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        streaming::History& history = *parts_[i].history;
        const auto generation = history.generation, stream = history.stream;
        const auto settled = history.timeline ? history.timeline->settled() : 0;
        const auto labels = history.labels;
        const bool changed = i == 0 ? source.copySince(history) : source.channel(i).copySince(history);
        if (!changed) continue;
        if (i != shown_) {
            changes.others = true;
            continue;
        }
        const bool replaced = changes.replaced;
        changes.columns = true;
        changes.labels = changes.labels || replaced || history.labels != labels;
        changes.sameAudio = changes.sameAudio || (!replaced && history.stream == stream);
        if (history.generation != generation) changes.replaced = true;
        changes.firstColumn = changes.replaced ? 0 : settled;
    }
}

void HistoryViewModel::deriveEvents(Changes& changes) {
    if (!history().labels || !history().timeline) {
        if (!found().empty() || !events().list().nearMisses.empty()) changes.events = true;
        for (Part& part : parts_) part.events.clear();
        found_.clear();
        lastOffset_.clear();
        return;
    }
    auto rules = controller_.rules(*history().labels, history().timeline->secondsPerColumn());
    const auto sebbs = byConfidence() ? history().labels->sebbs() : nullptr;
    const bool newRules =
        rules_ != rules || settingsLabels_ != history().labels || eventSettings_.sebbs != sebbs;
    if (newRules) {
        eventSettings_ = detection::eventSettings(rules, *history().labels);
        if (sebbs) detection::useSebbs(eventSettings_, sebbs, sebbs->minConfidence());
        rules_ = std::move(rules);
        settingsLabels_ = history().labels;
    }
    const bool behind = std::ranges::any_of(parts_, [](const Part& part) { return part.events.behind(); });
    if (!newRules && !changes.columns && !changes.others && !changes.replaced && !behind) return;
    const auto most =
        controller_.playback().showsRecording() ? std::numeric_limits<std::size_t>::max() : maxLiveEvents;
    bool changed = false;
    for (Part& part : parts_) changed = deriveEvents(part, most) || changed;
    // New rules change thresholds even if no event changes.
    changes.events = changed || newRules || changes.replaced;
    if (!changes.events) return;
    collectEvents();
    lastOffset_.assign(static_cast<std::size_t>(history().timeline->classes()),
                       -std::numeric_limits<double>::infinity());
    for (const auto& event : events().list().events) {
        double& last = lastOffset_[static_cast<std::size_t>(event.classIndex)];
        last = std::max(last, event.offset);
    }
}

// Returns whether the part's events changed. Without its columns, or while its words are others than those of
// the channel that is shown, it has none.
bool HistoryViewModel::deriveEvents(Part& part, std::size_t most) {
    if (part.history->timeline && part.history->labels == history().labels)
        return part.events.update(*part.history->timeline, eventSettings_, most);
    const bool had = !part.events.list().events.empty();
    part.events.clear();
    return had;
}

void HistoryViewModel::collectEvents() {
    found_.clear();
    for (std::size_t i = 0; i < std::min(parts_.size(), channels().size()); ++i)
        for (detection::Event event : parts_[i].events.list().events) {
            event.channel = channels()[i];
            found_.push_back(event);
        }
    std::ranges::stable_sort(found_, {}, &detection::Event::onset);
}

const std::vector<detection::Event>& HistoryViewModel::found() const {
    return channels().empty() ? events().list().events : found_;
}

std::int64_t HistoryViewModel::dropped() const {
    std::int64_t all = 0;
    for (const Part& part : parts_) all += part.events.dropped();
    return all;
}

int HistoryViewModel::channel() const { return shown_ < channels().size() ? channels()[shown_] : 0; }

void HistoryViewModel::showChannel(int channel) { wantedChannel_ = channel; }

// Notes what the clock showed when the live stream's time was 0, and again where it has lagged behind since:
// nothing was heard for a while.
void HistoryViewModel::followClock() {
    const bool runs =
        status_.state == streaming::State::running || status_.state == streaming::State::overloaded;
    if (controller_.playback().showsRecording() || (!runs && !clockStart_)) return;
    const auto stream = history().stream;
    const auto now = clock();
    if (!clockStart_ || stream != clockStream_) {
        clockTimes_.clear();
        clockStart_.reset();
        clockStream_ = stream;
        if (runs) clockStart_ = later(now, -status_.heard);
        return;
    }
    if (!runs) return;
    const double shown = secondsBetween(*clockStart_, now);
    if (std::abs(shown - clockTimes_.shown(status_.heard)) > maxLag)
        clockTimes_.add({.stream = status_.heard, .shown = shown});
}

double HistoryViewModel::end() const {
    const auto& spectrogram = history().spectrogram;
    const double frames = static_cast<double>(spectrogram.frames()) * spectrogram.secondsPerFrame();
    const auto* timeline = history().timeline.get();
    const double columns =
        timeline != nullptr && timeline->columns() > 0 ? timeline->end(timeline->columns() - 1) : 0.0;
    if (timeline != nullptr && timeline->duration()) return std::max(columns, *timeline->duration());
    return std::max(frames, columns);
}

bool HistoryViewModel::offersConfidence() const {
    return controller_.playback().showsRecording() && history().labels && history().labels->sebbs();
}

bool HistoryViewModel::byConfidence() const {
    return offersConfidence() && controller_.view().get().byConfidence;
}

float HistoryViewModel::now(int classIndex) const {
    const auto* timeline = history().timeline.get();
    if (timeline == nullptr || timeline->columns() == 0 || classIndex < 0 ||
        classIndex >= timeline->classes())
        return 0.0f;
    return timeline->column(timeline->columns() - 1)[static_cast<std::size_t>(classIndex)];
}

bool HistoryViewModel::sounding(int classIndex) const {
    const auto* timeline = history().timeline.get();
    if (timeline == nullptr || timeline->columns() == 0 || classIndex < 0 ||
        static_cast<std::size_t>(classIndex) >= lastOffset_.size())
        return false;
    const auto* hold = controller_.parameters().getRawParameterValue(parameter::hold);
    const double held = hold != nullptr ? static_cast<double>(hold->load()) : 0.0;
    const double newest = timeline->end(timeline->columns() - 1);
    return newest - lastOffset_[static_cast<std::size_t>(classIndex)] <= held;
}

juce::String HistoryViewModel::label(int classIndex) const {
    const auto* labels = history().labels.get();
    if (labels == nullptr || classIndex < 0 || classIndex >= labels->count()) return {};
    return juce::String::fromUTF8(labels->name(classIndex).c_str());
}

juce::String HistoryViewModel::timeText(double streamSeconds) const {
    return clockText(began(), times().shown(streamSeconds));
}

std::optional<WallTime> HistoryViewModel::began() const {
    if (controller_.playback().showsRecording()) return status_.began;
    const bool wanted = controller_.shell().hasAudioSettings() && controller_.view().get().clock;
    return wanted ? clockStart_ : std::nullopt;
}

const streaming::TimeMap& HistoryViewModel::times() const {
    return !controller_.playback().showsRecording() && began() ? clockTimes_ : history().times;
}

} // namespace earshot::ui
