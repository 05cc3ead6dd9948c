#include "Ui/Timeline/LanesView.h"

#include "Ui/Safe.h"
#include "Ui/SoundFilter.h"

#include <algorithm>
#include <cmath>

namespace earshot::ui {

namespace {

constexpr double glideSeconds = 0.2;
constexpr double rememberedSeconds = 60.0; // of a live stream's past, to order lanes seen for the first time
constexpr int framesPerSecond = 60;
constexpr int pinRoom = 30; // logical pixels right of a name
constexpr int listed = 5;   // sounds in a description

double wallSeconds() { return juce::Time::getMillisecondCounterHiRes() / 1000.0; }

std::size_t at(int classIndex) { return static_cast<std::size_t>(classIndex); }

} // namespace

LanesView::LanesView(Controller& controller, Watcher& watcher, TimeAxis& axis)
    : controller_(controller)
    , watcher_(watcher)
    , axis_(axis) {
    setInterceptsMouseClicks(false, true);
    setOpaque(true);
    bar_.setAutoHide(false);
    bar_.addListener(this);
    addChildComponent(bar_);
    setTitle("Sounds");
}

void LanesView::restart() {
    const auto& history = watcher_.history();
    const int classes = history.labels ? history.labels->count() : 0;
    image_.clear();
    order_.reset(classes);
    from_.assign(at(classes), -1.0f);
    to_.assign(at(classes), -1.0f);
    sounding_.assign(at(classes), false);
    marks_.set({}, classes);
    mark_.reset();
    selected_ = hovered_ = -1;
    heard_ = 0;
    scroll_ = 0.0f;
}

void LanesView::heardMore(const Watcher::Changes& changes) {
    const auto& history = watcher_.history();
    const int classes = history.labels ? history.labels->count() : 0;
    const bool fresh = changes.replaced || static_cast<int>(to_.size()) != classes;
    if (fresh) restart();
    if (history.timeline && classes > 0) follow(changes);
    const bool soundingChanged = updateSounding();
    const bool moved = !fresh && order_.settle(wallSeconds(), sounding_);
    if (fresh || moved) arrange();
    if (changes.columns || changes.events || fresh || soundingChanged || (changes.status && lanes_.empty()))
        repaint();
    if (soundingChanged)
        if (auto* handler = getAccessibilityHandler())
            handler->notifyAccessibilityEvent(juce::AccessibilityEvent::titleChanged);
}

// Tells the order and the picture of new columns.
void LanesView::follow(const Watcher::Changes& changes) {
    const auto& timeline = *watcher_.history().timeline;
    if (changes.columns) image_.revise(changes.firstColumn);
    if (changes.events) marks_.set(watcher_.events().list(), timeline.classes());
    const double seconds = timeline.secondsPerColumn();
    const bool recording = controller_.showsRecording();
    const bool first = heard_ == 0 && timeline.columns() > 1;
    if (heard_ == 0 && !recording)
        heard_ = std::max<std::int64_t>(0, timeline.columns() -
                                               static_cast<std::int64_t>(rememberedSeconds / seconds));
    heard_ = std::max(heard_, timeline.firstKept());
    // Every column once, when it first appears: the newest may change a little, the order need not follow.
    for (; heard_ < timeline.columns(); ++heard_)
        order_.hear(timeline.column(heard_), seconds, recording ? 0.0 : LaneOrder::liveHalfLife);
    if (!first) return;
    order_.sort();
    arrange();
}

bool LanesView::updateSounding() {
    bool changed = false;
    for (std::size_t c = 0; c < sounding_.size(); ++c) {
        const bool sounds = watcher_.sounding(static_cast<int>(c));
        changed = changed || sounds != sounding_[c];
        sounding_[c] = sounds;
    }
    return changed;
}

void LanesView::setSearch(const juce::String& text) {
    if (search_ == text) return;
    search_ = text;
    scroll_ = 0.0f;
    arrange();
}

void LanesView::arrange() {
    const auto& labels = watcher_.history().labels;
    const auto before =
        std::exchange(lanes_, labels ? shownLanes(*labels, order_.order(), controller_.view().get(), search_)
                                     : std::vector<int>());
    updateScroll();
    if (before != lanes_) {
        std::vector<float> current(to_.size(), -1.0f);
        for (const int lane : before)
            if (at(lane) < current.size()) current[at(lane)] = top(lane);
        // From far away a lane comes in from just beyond the edge.
        const float above = scroll_ - pitch;
        const float below = scroll_ + static_cast<float>(getHeight());
        std::ranges::fill(to_, -1.0f);
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            const auto lane = at(lanes_[i]);
            to_[lane] = static_cast<float>(i) * pitch;
            from_[lane] = current[lane] < 0.0f ? to_[lane] : std::clamp(current[lane], above, below);
        }
        glideStart_ = isShowing() ? wallSeconds() : -1.0;
        if (glideStart_ >= 0.0) startTimerHz(framesPerSecond);
    }
    repaint();
}

float LanesView::top(int classIndex) const {
    const float to = to_[at(classIndex)];
    if (glideStart_ < 0.0) return to;
    const auto part = static_cast<float>(std::clamp((wallSeconds() - glideStart_) / glideSeconds, 0.0, 1.0));
    const float eased = part * part * (3.0f - 2.0f * part);
    return from_[at(classIndex)] + eased * (to - from_[at(classIndex)]);
}

void LanesView::timerCallback() {
    guarded(*this, [this] { tick(); });
}

void LanesView::tick() {
    if (glideStart_ < 0.0 || wallSeconds() - glideStart_ >= glideSeconds) {
        glideStart_ = -1.0;
        stopTimer();
    }
    repaint();
}

void LanesView::axisMoved() { repaint(); }

int LanesView::laneAt(int y) const {
    const int slot = static_cast<int>(std::floor((static_cast<float>(y) + scroll_) / pitch));
    return y >= 0 && slot >= 0 && at(slot) < lanes_.size() ? lanes_[at(slot)] : -1;
}

juce::Rectangle<int> LanesView::laneBounds(int classIndex) const {
    if (classIndex < 0 || at(classIndex) >= to_.size() || to_[at(classIndex)] < 0.0f) return {};
    return {0, static_cast<int>(std::lround(to_[at(classIndex)] - scroll_)), getWidth(), pitch};
}

bool LanesView::onPin(juce::Point<int> position) const {
    return position.x >= size::laneNames - pinRoom && position.x < size::laneNames;
}

void LanesView::updateScroll() {
    const auto content = static_cast<float>(lanes_.size()) * pitch;
    const auto page = static_cast<float>(getHeight());
    scroll_ = std::clamp(scroll_, 0.0f, std::max(0.0f, content - page));
    bar_.setVisible(content > page);
    bar_.setRangeLimits(0.0, static_cast<double>(content), juce::dontSendNotification);
    bar_.setCurrentRange(static_cast<double>(scroll_), static_cast<double>(page), juce::dontSendNotification);
}

void LanesView::scrollBy(float pixels) {
    const float before = std::exchange(scroll_, scroll_ + pixels);
    updateScroll();
    if (scroll_ != before) repaint();
}

void LanesView::scrollBarMoved(juce::ScrollBar*, double start) {
    scrollBy(static_cast<float>(start) - scroll_);
}

void LanesView::scrollTo(int classIndex) {
    const auto lane = laneBounds(classIndex);
    if (lane.isEmpty()) return;
    if (lane.getY() < 0) scrollBy(static_cast<float>(lane.getY()));
    if (lane.getBottom() > getHeight()) scrollBy(static_cast<float>(lane.getBottom() - getHeight()));
}

void LanesView::select(int classIndex) {
    if (selected_ == classIndex) return;
    selected_ = classIndex;
    repaint();
}

void LanesView::selectBy(int lanes) {
    if (lanes_.empty()) return;
    const auto found = std::ranges::find(lanes_, selected_);
    const int last = static_cast<int>(lanes_.size()) - 1;
    const int slot = found == lanes_.end()
                         ? (lanes > 0 ? 0 : last)
                         : std::clamp(static_cast<int>(found - lanes_.begin()) + lanes, 0, last);
    select(lanes_[at(slot)]);
    scrollTo(selected_);
}

void LanesView::setHovered(int classIndex) {
    if (hovered_ == classIndex) return;
    hovered_ = classIndex;
    repaint(getLocalBounds().withWidth(size::laneNames));
}

void LanesView::mark(int classIndex, double onset, double offset) {
    mark_.reset();
    if (classIndex >= 0) mark_ = Mark{classIndex, onset, offset};
    repaint();
}

void LanesView::resized() {
    const int width = getLookAndFeel().getDefaultScrollbarWidth();
    bar_.setBounds(getLocalBounds().removeFromRight(width));
    updateScroll();
}

juce::String LanesView::emptyText() const {
    const auto& status = watcher_.status();
    const auto& history = watcher_.history();
    const bool heard = history.timeline && history.timeline->columns() > 0;
    if (!heard && status.state == streaming::State::failed)
        return juce::String::fromUTF8(status.message.c_str());
    if (!heard && status.state == streaming::State::loading) return "Loading the model...";
    if (!heard && status.state == streaming::State::stopped) return "No audio comes in yet.";
    if (!history.labels) return "Loading the model...";
    if (!heard) return "Listening. Sounds appear here as they happen.";
    if (!lanes_.empty()) return {};
    if (search_.trim().isNotEmpty()) return "No sound is called " + search_.trim().quoted() + ".";
    return "All sounds are hidden. Right-click here to show them.";
}

juce::String LanesView::soundingText() const {
    juce::StringArray names;
    for (const int lane : lanes_)
        if (at(lane) < sounding_.size() && sounding_[at(lane)] && names.size() < listed)
            names.add(watcher_.label(lane));
    return names.isEmpty() ? juce::String("Nothing sounds now.")
                           : "Sounding now: " + names.joinIntoString(", ") + ".";
}

std::unique_ptr<juce::AccessibilityHandler> LanesView::createAccessibilityHandler() {
    struct Handler : juce::AccessibilityHandler {
        explicit Handler(LanesView& view)
            : AccessibilityHandler(view, juce::AccessibilityRole::group)
            , lanes(view) {}
        juce::String getTitle() const override { return "Sounds over time"; }
        juce::String getDescription() const override {
            const auto empty = lanes.emptyText();
            return empty.isNotEmpty() ? empty : lanes.soundingText();
        }
        LanesView& lanes;
    };
    return std::make_unique<Handler>(*this);
}

} // namespace earshot::ui
