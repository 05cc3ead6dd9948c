#include "Ui/Timeline/LanesView.h"

#include "Ui/SoundFilter.h"
#include "Ui/Timeline/Ruler.h"
#include "Ui/WordLanes.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace earshot::ui {

namespace {

constexpr double glideSeconds = 0.2;
// seconds of the past that order lanes which are seen for the first time
constexpr double rememberedSeconds = 60.0;
constexpr int framesPerSecond = 60;
constexpr int pinRoom = 30; // logical pixels right of a name
constexpr int listed = 5;   // sounds in a description

double wallSeconds() { return juce::Time::getMillisecondCounterHiRes() / 1000.0; }

} // namespace

LanesView::LanesView(Controller& controller, HistoryViewModel& viewModel, TimeAxis& axis)
    : controller_(controller)
    , viewModel_(viewModel)
    , axis_(axis)
    , review_(controller, viewModel) {
    setInterceptsMouseClicks(false, true);
    setOpaque(true);
    bar_.setAutoHide(false);
    bar_.addListener(this);
    more_.onClick = [this] { toggleQuiet(); };
    addChildComponent(more_);
    addChildComponent(bar_);
    setTitle("Sounds");
    bar_.setTitle("Scroll the sounds");
}

void LanesView::restart() {
    const auto& history = viewModel_.history();
    const int classes = history.labels ? history.labels->count() : 0;
    image_.clear();
    order_.reset(classes);
    from_.assign(at(classes), -1.0f);
    to_.assign(at(classes), -1.0f);
    lanes_.clear(); // arrange() gives each of them a place
    active_.assign(at(classes), false);
    sounding_.assign(at(classes), false);
    marks_.set({}, classes);
    outline_.reset();
    hovered_ = -1;
    selected_ = -1;
    for (int i = 0; i < classes && selected_ < 0 && !selectedName_.empty(); ++i)
        if (history.labels->name(i) == selectedName_) selected_ = i;
    heard_ = 0;
    whole_ = false;
    scroll_ = 0.0f;
}

void LanesView::historyChanged(const HistoryViewModel::Changes& changes) {
    const auto& history = viewModel_.history();
    const int classes = history.labels ? history.labels->count() : 0;
    const bool fresh = changes.replaced || static_cast<int>(to_.size()) != classes;
    if (fresh) restart();
    if ((fresh || changes.labels || changes.words) && classes > 0) {
        families_.clear();
        for (const auto& name : history.labels->names()) families_.push_back(detection::familyOf(name));
    }
    if (history.timeline && classes > 0) follow(changes);
    const bool moved =
        !fresh && !controller_.playback().showsRecording() && order_.settle(wallSeconds(), sounding_);
    if (fresh || moved || changes.labels || changes.words)
        arrange();
    else
        arrangeIfOthersAreActive();
    if (changes.columns || changes.events || fresh || (changes.status && lanes_.empty())) repaint();
    updateSounding();
}

// Passes new columns to the order and the image.
void LanesView::follow(const HistoryViewModel::Changes& changes) {
    const auto& timeline = *viewModel_.history().timeline;
    if (changes.columns) image_.revise(changes.firstColumn);
    if (changes.events) marks_.set(viewModel_.events().list(), timeline.classes());
    const double seconds = timeline.secondsPerColumn();
    const bool recording = controller_.playback().showsRecording();
    // Live, a column's value may still change a little; the order need not follow. That of a recording is the
    // same each time it is opened, because it comes from final values alone.
    const auto until = recording ? timeline.settled() : timeline.columns();
    const bool first = heard_ == 0 && until > 1;
    if (heard_ == 0 && !recording)
        heard_ = std::max<std::int64_t>(0, timeline.columns() -
                                               static_cast<std::int64_t>(rememberedSeconds / seconds));
    heard_ = std::max(heard_, timeline.firstKept());
    for (; heard_ < until; ++heard_)
        order_.observe(timeline.column(heard_), seconds, recording ? 0.0 : LaneOrder::liveHalfLife);
    const bool whole = recording && timeline.duration();
    const bool ended = whole && !std::exchange(whole_, whole);
    if (!first && !ended) return;
    order_.sort();
    arrange();
    if (!outline_) return;
    glideStart_ = -1.0; // the chosen event stays in view, wherever its lane is now
    scrollTo(outline_->classIndex);
}

// Of a recording, what sounds is what plays.
void LanesView::updateSounding() {
    const auto* player = controller_.playback().showsRecording() ? controller_.playback().player() : nullptr;
    const bool plays = player != nullptr && player->playing();
    const auto before = sounding_;
    for (std::size_t c = 0; c < sounding_.size(); ++c) {
        const int lane = static_cast<int>(c);
        sounding_[c] = plays ? viewModel_.events().eventAt(lane, player->position()) != nullptr
                             : !whole_ && viewModel_.sounding(lane);
    }
    if (before == sounding_) return;
    repaint(getLocalBounds().withWidth(size::laneNames));
    if (auto* handler = getAccessibilityHandler())
        handler->notifyAccessibilityEvent(juce::AccessibilityEvent::titleChanged);
}

juce::String LanesView::searchHint(bool found) const {
    return wordHint(viewModel_.words(), viewModel_.history().labels.get(), search_, found);
}

void LanesView::setSearch(const juce::String& text) {
    if (search_ == text) return;
    search_ = text;
    scroll_ = 0.0f;
    arrange();
}

void LanesView::arrange() {
    const auto& labels = viewModel_.history().labels;
    const auto before = std::exchange(lanes_, std::vector<int>());
    if (labels)
        lanes_ = shownLanes(*labels, order_.order(), controller_.view().get(), search_,
                            wordLanes(viewModel_.words(), *labels));
    active_ = activeLanes();
    // Clang 14 cannot compile std::ranges::stable_partition with this standard library.
    const auto rest =
        std::stable_partition(lanes_.begin(), lanes_.end(), [&](int lane) { return active_[at(lane)]; });
    const auto rowBefore = std::pair(loud_, quiet_ > 0);
    loud_ = static_cast<std::size_t>(rest - lanes_.begin());
    quiet_ = static_cast<int>(lanes_.end() - rest);
    const bool all = controller_.view().get().quietLanes;
    if (!all) lanes_.erase(rest, lanes_.end());
    more_.setVisible(quiet_ > 0);
    more_.show(quiet_, loud_ == 0, all);
    const auto above = std::exchange(hint_, lanes_.empty() ? juce::String() : searchHint(true));
    updateScroll();
    if (before != lanes_ || above.isEmpty() != hint_.isEmpty() || rowBefore != std::pair(loud_, quiet_ > 0)) {
        std::vector<float> current(to_.size(), -1.0f);
        for (const int lane : before)
            if (at(lane) < current.size()) current[at(lane)] = top(lane);
        // A lane from far away glides in from just beyond the edge.
        const float over = scroll_ - pitch;
        const float below = scroll_ + static_cast<float>(getHeight());
        std::ranges::fill(to_, -1.0f);
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            const auto lane = at(lanes_[i]);
            to_[lane] = slotTop(i);
            from_[lane] = current[lane] < 0.0f ? to_[lane] : std::clamp(current[lane], over, below);
        }
        glideStart_ = isShowing() ? wallSeconds() : -1.0;
        if (glideStart_ >= 0.0) startTimerHz(framesPerSecond);
    }
    repaint();
}

// A lane that the user looks for or has chosen is active, too.
std::vector<bool> LanesView::activeLanes() const {
    const auto& settings = controller_.view().get();
    std::vector<bool> active(to_.size(), search_.trim().isNotEmpty());
    const auto& labels = viewModel_.history().labels;
    if (!labels || at(labels->count()) != active.size()) return active;
    for (std::size_t i = 0; i < active.size(); ++i) {
        const int lane = static_cast<int>(i);
        const auto& name = labels->name(lane);
        // Where quiet lanes are shown, a chosen one stays in its place.
        const bool chosen =
            !settings.quietLanes && (lane == selected_ || (outline_ && outline_->classIndex == lane));
        active[i] = active[i] || chosen || settings.pinned.contains(name) || settings.solo.contains(name) ||
                    marks_.any(lane, axis_.start(), axis_.end());
    }
    for (const int lane : wordLanes(viewModel_.words(), *labels)) active[at(lane)] = true;
    return active;
}

void LanesView::arrangeIfOthersAreActive() {
    if (activeLanes() != active_) arrange();
}

void LanesView::toggleQuiet() {
    controller_.view().edit([](ViewSettings& view) { view.quietLanes = !view.quietLanes; });
    arrange();
}

float LanesView::slotTop(std::size_t slot) const {
    const bool belowRow = quiet_ > 0 && slot >= loud_;
    return firstLane() + static_cast<float>(slot) * pitch + (belowRow ? MoreLanes::height : 0.0f);
}

float LanesView::top(int classIndex) const {
    const float to = to_[at(classIndex)];
    if (glideStart_ < 0.0) return to;
    const auto part = static_cast<float>(std::clamp((wallSeconds() - glideStart_) / glideSeconds, 0.0, 1.0));
    const float eased = part * part * (3.0f - 2.0f * part);
    return from_[at(classIndex)] + eased * (to - from_[at(classIndex)]);
}

void LanesView::timerCallback() {
    catchAll(*this, [this] { tick(); });
}

void LanesView::tick() {
    if (glideStart_ < 0.0 || wallSeconds() - glideStart_ >= glideSeconds) {
        glideStart_ = -1.0;
        stopTimer();
    }
    repaint();
}

void LanesView::axisMoved() {
    arrangeIfOthersAreActive();
    repaint();
}

int LanesView::laneAt(int y) const {
    float below = static_cast<float>(y) + scroll_ - firstLane();
    const float row = static_cast<float>(loud_) * pitch;
    if (quiet_ > 0 && below >= row) {
        below -= MoreLanes::height;
        if (below < row) return -1;
    }
    const int slot = static_cast<int>(std::floor(below / pitch));
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
    const auto content = slotTop(lanes_.size());
    const auto page = static_cast<float>(getHeight());
    scroll_ = std::clamp(scroll_, 0.0f, std::max(0.0f, content - page));
    bar_.setVisible(content > page);
    bar_.setRangeLimits(0.0, static_cast<double>(content), juce::dontSendNotification);
    bar_.setCurrentRange(static_cast<double>(scroll_), static_cast<double>(page), juce::dontSendNotification);
    placeRow();
}

// Between lanes; where that is out of sight, at the edge that is nearer.
void LanesView::placeRow() {
    const float row = firstLane() + static_cast<float>(loud_) * pitch - scroll_;
    const int lowest = std::max(0, getHeight() - MoreLanes::height);
    more_.setBounds(0, juce::jlimit(0, lowest, juce::roundToInt(row)), getWidth(),
                    std::min(getHeight(), MoreLanes::height)); // the scroll bar lies above it
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
    // The row of the others may cover an edge.
    const auto slot = std::ranges::find(lanes_, classIndex) - lanes_.begin();
    const bool below = slot >= static_cast<std::ptrdiff_t>(loud_);
    const int row = quiet_ > 0 ? MoreLanes::height : 0;
    const int top = below ? row : 0, bottom = getHeight() - (below ? 0 : row);
    if (lane.getBottom() > bottom) scrollBy(static_cast<float>(lane.getBottom() - bottom));
    if (const int y = laneBounds(classIndex).getY(); y < top) scrollBy(static_cast<float>(y - top));
}

void LanesView::select(int classIndex) {
    if (selected_ == classIndex) return;
    selected_ = classIndex;
    selectedName_ = viewModel_.label(classIndex).toStdString();
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

void LanesView::outline(int classIndex, double onset, double offset) {
    outline_.reset();
    if (classIndex >= 0) outline_ = detection::Event{classIndex, onset, offset};
    arrangeIfOthersAreActive();
    repaint();
}

void LanesView::resized() {
    const int width = getLookAndFeel().getDefaultScrollbarWidth();
    bar_.setBounds(getLocalBounds().removeFromRight(width));
    updateScroll();
}

juce::String LanesView::emptyText() const {
    const auto& status = viewModel_.status();
    const auto& history = viewModel_.history();
    const bool heard = history.timeline && history.timeline->columns() > 0;
    if (!heard && status.state == streaming::State::failed)
        return juce::String::fromUTF8(status.message.c_str());
    if (!heard && status.state == streaming::State::loading) return "Loading the model...";
    if (const auto first = firstWordHint(viewModel_.words(), history.labels.get()); first.isNotEmpty()) {
        const auto hint = searchHint(false);
        return hint.isEmpty() ? first : hint;
    }
    if (!heard && status.state == streaming::State::stopped) return "No audio is coming in yet.";
    if (!history.labels) return "Loading the model...";
    if (!heard) return "Listening. Sounds appear here as they happen.";
    if (!lanes_.empty()) return {};
    if (quiet_ > 0) return "No events in view.";
    if (search_.trim().isNotEmpty()) {
        const auto& words = viewModel_.words();
        const auto hint = searchHint(false);
        auto nothing = "No sound is called " + inQuotes(search_.trim()) + ".";
        const bool teaches = viewModel_.teaching().possible && !words.busy;
        if (teaches) nothing += "\nTeach it from an example: drag over one in the spectrogram and name it.";
        if (hint.isEmpty()) return nothing;
        return words.possible && !teaches ? hint : nothing + "\n" + hint;
    }
    return "All sounds are hidden. Right-click here, or press Shift + F10, to show them.";
}

juce::String LanesView::soundingText() const {
    juce::StringArray names;
    for (const int lane : lanes_)
        if (at(lane) < sounding_.size() && sounding_[at(lane)] && names.size() < listed)
            names.add(viewModel_.label(lane));
    return names.isEmpty() ? juce::String("Nothing is sounding now.")
                           : "Sounding now: " + names.joinIntoString(", ") + ".";
}

std::unique_ptr<juce::AccessibilityHandler> LanesView::createAccessibilityHandler() {
    struct Handler : juce::AccessibilityHandler {
        explicit Handler(LanesView& view)
            : AccessibilityHandler(view, juce::AccessibilityRole::group)
            , lanes(view) {}
        juce::String getTitle() const override { return "Sounds over time"; }
        juce::String getDescription() const override {
            auto empty = lanes.emptyText();
            if (empty.isNotEmpty()) return empty;
            return lanes.hint().isEmpty() ? lanes.soundingText() : lanes.hint() + " " + lanes.soundingText();
        }
        LanesView& lanes;
    };
    return std::make_unique<Handler>(*this);
}

} // namespace earshot::ui
