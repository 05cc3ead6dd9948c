#include "Ui/Watcher.h"

#include "Core/Detection/Events/Boxes.h"
#include "Ui/Guarded.h"
#include "Ui/ParameterIds.h"
#include "Ui/TimeAxis.h"

#include <algorithm>
#include <limits>

namespace earshot::ui {

namespace {

constexpr int updatesPerSecond = 30;
constexpr int restMilliseconds = 10'000;
constexpr std::size_t mostLiveEvents = 200'000; // those of a recording are all kept

} // namespace

Watcher::Watcher(Controller& controller)
    : controller_(controller)
    , history_(std::make_unique<streaming::History>()) {}

Watcher::~Watcher() { stopTimer(); }

void Watcher::addListener(Listener* listener) { listeners_.push_back(listener); }
void Watcher::removeListener(Listener* listener) { std::erase(listeners_, listener); }

void Watcher::tell(const Changes& changes) {
    const auto all = listeners_; // a copy, because a listener may remove itself
    for (Listener* listener : all)
        if (std::ranges::find(listeners_, listener) != listeners_.end()) listener->heardMore(changes);
}

void Watcher::start() {
    update();
    tell({.replaced = true,
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

void Watcher::rest() {
    frozen_ = false;
    startTimer(restMilliseconds);
}

void Watcher::watch() {
    if (!isTimerRunning()) startTimer(restMilliseconds);
}

void Watcher::setFrozen(bool frozen) { frozen_ = frozen; }

void Watcher::timerCallback() {
    if (!guarded([this] { update(); }) && onTrouble) guarded(onTrouble);
}

void Watcher::update() {
    Changes changes;
    followSource(changes);
    auto status = controller_.source().status();
    auto audioProblem = controller_.audioProblem();
    changes.status = changes.replaced || status != status_ || audioProblem != audioProblem_;
    status_ = std::move(status);
    audioProblem_ = std::move(audioProblem);
    auto words = controller_.words();
    changes.words = words != words_;
    words_ = std::move(words);
    auto teaching = controller_.teaching();
    changes.teaching = teaching != teaching_;
    teaching_ = std::move(teaching);
    auto recordings = controller_.recordings();
    changes.recordings = recordings != recordings_;
    recordings_ = std::move(recordings);
    if (!frozen_) copyHistory(changes);
    deriveEvents(changes);
    if (changes.replaced || changes.columns || changes.events || changes.status || changes.words ||
        changes.teaching || changes.recordings)
        tell(changes);
}

void Watcher::followSource(Changes& changes) {
    const auto id = controller_.sourceId();
    if (sourceId_ == id) return;
    changes.replaced = sourceId_.has_value();
    sourceId_ = id;
    history_ = std::make_unique<streaming::History>();
    events_.clear();
    lastOffset_.clear();
    rules_.reset();
    frozen_ = false;
}

void Watcher::copyHistory(Changes& changes) {
    const auto generation = history_->generation, stream = history_->stream;
    const auto settled = history_->timeline ? history_->timeline->settled() : 0;
    const auto labels = history_->labels;
    if (!controller_.source().copySince(*history_)) return;
    changes.columns = true;
    changes.labels = changes.replaced || history_->labels != labels;
    changes.sameAudio = !changes.replaced && history_->stream == stream;
    if (history_->generation != generation) changes.replaced = true;
    changes.firstColumn = changes.replaced ? 0 : settled;
}

void Watcher::deriveEvents(Changes& changes) {
    if (!history_->labels || !history_->timeline) {
        if (!events_.list().events.empty() || !events_.list().nearMisses.empty()) changes.events = true;
        events_.clear();
        lastOffset_.clear();
        return;
    }
    auto rules = controller_.rules(*history_->labels, history_->timeline->secondsPerColumn());
    const auto boxes = byConfidence() ? history_->labels->boxes() : nullptr;
    const bool newRules =
        rules_ != rules || settingsLabels_ != history_->labels || eventSettings_.boxes != boxes;
    if (newRules) {
        eventSettings_ = detection::eventSettings(rules, *history_->labels);
        if (boxes) detection::useBoxes(eventSettings_, boxes, boxes->leastConfidence());
        rules_ = std::move(rules);
        settingsLabels_ = history_->labels;
    }
    if (!newRules && !changes.columns && !changes.replaced && !events_.behind()) return;
    const auto& timeline = *history_->timeline;
    const auto most = controller_.showsRecording() ? std::numeric_limits<std::size_t>::max() : mostLiveEvents;
    // New rules change thresholds even if no event changes.
    changes.events = events_.update(timeline, eventSettings_, most) || newRules || changes.replaced;
    if (!changes.events) return;
    lastOffset_.assign(static_cast<std::size_t>(timeline.classes()),
                       -std::numeric_limits<double>::infinity());
    for (const auto& event : events_.list().events) {
        double& last = lastOffset_[static_cast<std::size_t>(event.classIndex)];
        last = std::max(last, event.offset);
    }
}

double Watcher::end() const {
    const auto& spectrogram = history_->spectrogram;
    const double frames = static_cast<double>(spectrogram.frames()) * spectrogram.secondsPerFrame();
    const auto* timeline = history_->timeline.get();
    const double columns =
        timeline != nullptr && timeline->columns() > 0 ? timeline->end(timeline->columns() - 1) : 0.0;
    if (timeline != nullptr && timeline->duration()) return std::max(columns, *timeline->duration());
    return std::max(frames, columns);
}

bool Watcher::offersConfidence() const {
    return controller_.showsRecording() && history_->labels && history_->labels->boxes();
}

bool Watcher::byConfidence() const { return offersConfidence() && controller_.view().get().byConfidence; }

float Watcher::now(int classIndex) const {
    const auto* timeline = history_->timeline.get();
    if (timeline == nullptr || timeline->columns() == 0 || classIndex < 0 ||
        classIndex >= timeline->classes())
        return 0.0f;
    return timeline->column(timeline->columns() - 1)[static_cast<std::size_t>(classIndex)];
}

bool Watcher::sounding(int classIndex) const {
    const auto* timeline = history_->timeline.get();
    if (timeline == nullptr || timeline->columns() == 0 || classIndex < 0 ||
        static_cast<std::size_t>(classIndex) >= lastOffset_.size())
        return false;
    const auto* hold = controller_.parameters().getRawParameterValue(parameter::hold);
    const double held = hold != nullptr ? static_cast<double>(hold->load()) : 0.0;
    const double newest = timeline->end(timeline->columns() - 1);
    return newest - lastOffset_[static_cast<std::size_t>(classIndex)] <= held;
}

juce::String Watcher::label(int classIndex) const {
    const auto* labels = history_->labels.get();
    if (labels == nullptr || classIndex < 0 || classIndex >= labels->count()) return {};
    return juce::String::fromUTF8(labels->name(classIndex).c_str());
}

juce::String Watcher::timeText(double streamSeconds) const {
    return clockText(status_.began, history_->times.shown(streamSeconds));
}

} // namespace earshot::ui
