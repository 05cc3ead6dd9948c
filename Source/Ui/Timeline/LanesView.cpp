#include "Ui/Timeline/LanesView.h"

#include "Ui/NonThrowing.h"
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

constexpr int nameInset = 4;
constexpr float wordMark = 10.0f; // logical pixels for the mark before a word's name
constexpr float pinCentre = static_cast<float>(size::laneNames) - 15.0f;
constexpr float pinSize = 4.0f;

juce::Path diamond(juce::Point<float> centre) {
    juce::Path path;
    path.addQuadrilateral(centre.x, centre.y - pinSize, centre.x + pinSize, centre.y, centre.x,
                          centre.y + pinSize, centre.x - pinSize, centre.y);
    return path;
}

} // namespace

LanesView::LanesView(Controller& controller, HistoryViewModel& viewModel, TimeAxis& axis)
    : controller_(controller)
    , viewModel_(viewModel)
    , axis_(axis) {
    setInterceptsMouseClicks(false, true);
    setOpaque(true);
    bar_.setAutoHide(false);
    bar_.addListener(this);
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
    if (history.timeline && classes > 0) follow(changes);
    const bool moved = !fresh && !whole_ && order_.settle(wallSeconds(), sounding_);
    if (fresh || moved || changes.labels || changes.words) arrange();
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
    const bool first = heard_ == 0 && timeline.columns() > 1;
    if (heard_ == 0 && !recording)
        heard_ = std::max<std::int64_t>(0, timeline.columns() -
                                               static_cast<std::int64_t>(rememberedSeconds / seconds));
    heard_ = std::max(heard_, timeline.firstKept());
    // Each column once, at its first appearance. Its value may still change a little; the order need not
    // follow.
    for (; heard_ < timeline.columns(); ++heard_)
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
    const auto above = std::exchange(hint_, lanes_.empty() ? juce::String() : searchHint(true));
    updateScroll();
    if (before != lanes_ || above.isEmpty() != hint_.isEmpty()) {
        std::vector<float> current(to_.size(), -1.0f);
        for (const int lane : before)
            if (at(lane) < current.size()) current[at(lane)] = top(lane);
        // A lane from far away glides in from just beyond the edge.
        const float over = scroll_ - pitch;
        const float below = scroll_ + static_cast<float>(getHeight());
        std::ranges::fill(to_, -1.0f);
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            const auto lane = at(lanes_[i]);
            to_[lane] = firstLane() + static_cast<float>(i) * pitch;
            from_[lane] = current[lane] < 0.0f ? to_[lane] : std::clamp(current[lane], over, below);
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
    catchAll(*this, [this] { tick(); });
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
    const int slot = static_cast<int>(std::floor((static_cast<float>(y) + scroll_ - firstLane()) / pitch));
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
    const auto content = firstLane() + static_cast<float>(lanes_.size()) * pitch;
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
    if (search_.trim().isNotEmpty()) {
        const auto& words = viewModel_.words();
        const auto hint = searchHint(false);
        auto nothing = "No sound is called " + inQuotes(search_.trim()) + ".";
        if (hint.isEmpty()) return nothing;
        return words.possible ? hint : nothing + "\n" + hint;
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

void LanesView::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    const auto scale = graphics.getInternalContext().getPhysicalPixelScaleFactor();
    const auto grid = PixelGrid::of(axis_, cells().getWidth(), scale);
    if (graphics.getClipBounds().getRight() > size::laneNames) {
        juce::Graphics::ScopedSaveState state(graphics);
        graphics.reduceClipRegion(cells());
        paintCells(graphics, grid, palette);
    }
    graphics.setColour(palette.background);
    graphics.fillRect(getLocalBounds().withWidth(size::laneNames));
    paintNames(graphics, palette);
    paintHint(graphics, palette);
    paintEmpty(graphics, palette);
}

void LanesView::paintCells(juce::Graphics& graphics, const PixelGrid& grid, const Palette& palette) {
    const auto& timeline = viewModel_.history().timeline;
    if (!timeline || timeline->columns() == 0 || getHeight() <= 0) {
        graphics.setColour(palette.background);
        graphics.fillRect(cells());
        paintGrid(graphics, grid, {}, palette);
        return;
    }
    std::vector<LaneImage::Row> rows;
    std::vector<std::pair<int, float>> visible; // class, top
    for (const int lane : lanes_) {
        const float y = top(lane) - scroll_;
        if (y + pitch <= 0.0f || y >= static_cast<float>(getHeight())) continue;
        visible.emplace_back(lane, y);
        rows.push_back({lane, juce::roundToInt((y + (pitch - cellHeight) / 2.0f) * grid.scale),
                        juce::roundToInt(cellHeight * grid.scale)});
    }
    const int height = static_cast<int>(std::ceil(static_cast<float>(getHeight()) * grid.scale));
    image_.update(*timeline, grid, height, rows, palette);
    const auto left = static_cast<float>(cells().getX());
    graphics.setOpacity(1.0f);
    graphics.setImageResamplingQuality(juce::Graphics::lowResamplingQuality);
    graphics.drawImageTransformed(image_.image(),
                                  juce::AffineTransform::scale(1.0f / grid.scale).translated(left, 0.0f));

    paintGrid(graphics, grid, rows, palette);

    const auto laneRectangle = [&](float y) {
        return juce::Rectangle<float>(left, y + (pitch - cellHeight) / 2.0f,
                                      static_cast<float>(cells().getWidth()), cellHeight);
    };
    for (const auto& [lane, y] : visible) {
        const auto area = laneRectangle(y);
        marks_.paint(graphics, area, lane, grid, viewModel_.label(lane), palette);
        if (!outline_ || outline_->classIndex != lane) continue;
        graphics.setColour(palette.text);
        graphics.drawRoundedRectangle(spanOn(grid, area, outline_->onset, outline_->offset).reduced(1.0f),
                                      5.0f, 2.0f);
    }
}

// Lines at the ruler's times: between the lanes, and in full height where there are no cells yet.
void LanesView::paintGrid(juce::Graphics& graphics, const PixelGrid& grid,
                          std::span<const LaneImage::Row> rows, const Palette& palette) {
    const auto left = static_cast<float>(cells().getX());
    const float end = rows.empty() ? 0.0f : static_cast<float>(image_.endPixel()) / grid.scale;
    const auto height = static_cast<float>(getHeight());
    std::vector<std::pair<float, float>> gaps; // top and bottom, where cells are
    float bottom = 0.0f;
    std::vector<LaneImage::Row> sorted(rows.begin(), rows.end()); // gliding lanes cross each other
    std::ranges::sort(sorted, {}, &LaneImage::Row::top);
    for (const auto& row : sorted) {
        const float top = static_cast<float>(row.top) / grid.scale;
        if (top > bottom) gaps.emplace_back(bottom, top);
        bottom = std::max(bottom, static_cast<float>(row.top + row.height) / grid.scale);
    }
    gaps.emplace_back(bottom, height);
    graphics.setColour(palette.line.withAlpha(0.6f));
    for (const auto& tick : ticksOn(grid, viewModel_.times(), viewModel_.began()).times) {
        const juce::Rectangle<float> line(left + tick.x, 0.0f, 1.0f, height);
        if (tick.x >= end) {
            graphics.fillRect(line);
            continue;
        }
        for (const auto& [top, under] : gaps)
            if (under > top) graphics.fillRect(line.withTop(top).withBottom(under));
    }
}

void LanesView::paintNames(juce::Graphics& graphics, const Palette& palette) {
    const auto column = getLocalBounds().withWidth(size::laneNames);
    const auto& labels = viewModel_.history().labels;
    if (!graphics.getClipBounds().intersects(column) || !labels) return;
    const auto& settings = controller_.view().get();
    graphics.setFont(Theme::font(13.0f));
    for (const int lane : lanes_) {
        const float y = top(lane) - scroll_;
        if (y + pitch <= 0.0f || y >= static_cast<float>(getHeight())) continue;
        const auto area = juce::Rectangle<float>(0.0f, y, static_cast<float>(size::laneNames), pitch);
        const bool selected = lane == selected_;
        if (selected || lane == hovered_) {
            graphics.setColour(palette.raised.withAlpha(selected ? 0.9f : 0.45f));
            graphics.fillRoundedRectangle(area.reduced(0.0f, 3.0f).withTrimmedRight(6.0f), size::corner);
        }
        const auto label = viewModel_.label(lane);
        const auto name = label.toStdString();
        float inset = nameInset;
        if (wordOf(viewModel_.words(), *labels, lane) != nullptr) {
            graphics.setColour(palette.accent);
            graphics.drawText(juce::String::fromUTF8("“"), area.withTrimmedLeft(inset),
                              juce::Justification::centredLeft, false);
            inset += wordMark;
        }
        const bool sounds =
            static_cast<std::size_t>(lane) < sounding_.size() && sounding_[static_cast<std::size_t>(lane)];
        graphics.setColour(sounds || selected ? palette.text : palette.secondary);
        graphics.drawText(label,
                          area.withTrimmedLeft(inset).withTrimmedRight(size::laneNames - pinCentre + 10.0f),
                          juce::Justification::centredLeft, true);
        const auto centre = juce::Point<float>(pinCentre, area.getCentreY());
        if (settings.pinned.contains(name)) {
            graphics.setColour(palette.accent);
            graphics.fillPath(diamond(centre));
        } else if (lane == hovered_) {
            graphics.setColour(palette.secondary);
            graphics.strokePath(diamond(centre), juce::PathStrokeType(1.0f));
        }
        if (settings.solo.contains(name)) {
            graphics.setColour(palette.accent);
            graphics.fillRoundedRectangle(area.withWidth(2.0f).reduced(0.0f, 9.0f), 1.0f);
        }
    }
}

// Over the cells' grid, where the lane of a new word will stand.
void LanesView::paintHint(juce::Graphics& graphics, const Palette& palette) const {
    if (hint_.isEmpty() || scroll_ >= firstLane()) return;
    const auto row = getLocalBounds().withHeight(pitch).translated(0, -juce::roundToInt(scroll_));
    graphics.setColour(palette.background);
    graphics.fillRect(row);
    graphics.setColour(palette.secondary);
    graphics.setFont(Theme::font(13.0f));
    graphics.drawFittedText(hint_, row.withTrimmedLeft(nameInset).withTrimmedRight(size::margin),
                            juce::Justification::centredLeft, 2, 1.0f);
}

void LanesView::paintEmpty(juce::Graphics& graphics, const Palette& palette) const {
    const auto text = emptyText();
    if (text.isEmpty()) return;
    graphics.setColour(palette.secondary);
    graphics.setFont(Theme::font(13.0f));
    const auto room = lanes_.empty() ? getLocalBounds() : cells();
    graphics.drawFittedText(text, room.reduced(size::margin), juce::Justification::centred, 5);
}

} // namespace earshot::ui
