#include "Ui/Timeline/Marking.h"

#include "Ui/Theme.h"
#include "Ui/Timeline/LanesView.h"
#include "Ui/Timeline/Plot.h"
#include "Ui/Timeline/SpectrogramView.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace earshot::ui {

namespace {

constexpr double markStep = 0.05; // seconds
constexpr int minHeight = 8;      // logical pixels of a range of frequencies
constexpr double edgePull = 0.25; // how far the view follows a pointer beyond its edges, of the way to it
constexpr int edgeRepeat = 50;    // milliseconds

} // namespace

Marking::Marking(juce::Component& view, HistoryViewModel& viewModel, TimeAxis& axis, const LanesView& lanes,
                 const SpectrogramView& spectrogram)
    : view_(view)
    , viewModel_(viewModel)
    , axis_(axis)
    , lanes_(lanes)
    , spectrogram_(spectrogram) {}

juce::Rectangle<int> Marking::plot() const {
    return view_.getLocalBounds().withTrimmedLeft(size::laneNames).withTrimmedTop(size::ruler);
}

juce::Rectangle<int> Marking::reach() const { return plot().withTop(0); }

juce::Rectangle<int> Marking::place() const {
    const auto shown = markOn(plot(), axis_, mark_);
    const auto at = shown.isEmpty() ? plot().withWidth(1) : shown;
    const auto lane =
        (lanes_.laneBounds(classIndex_) + lanes_.getPosition()).getIntersection(lanes_.getBounds());
    if (!lane.isEmpty()) return at.withY(lane.getY()).withHeight(lane.getHeight());
    const auto above = spectrogram_.isVisible() ? spectrogram_.getBounds()
                                                : view_.getLocalBounds().removeFromTop(size::ruler);
    return at.withY(above.getY()).withHeight(above.getHeight());
}

std::optional<MarkedSpan> Marking::span() const {
    if (!mark_.exists()) return std::nullopt;
    return MarkedSpan{{classIndex_, mark_.onset(), mark_.offset()}, frequencies_};
}

bool Marking::isAt(juce::Point<int> position) const {
    return plot().contains(position) && mark_.contains(secondsAt(view_, axis_, position.x));
}

void Marking::historyChanged(const HistoryViewModel::Changes& changes) {
    if (!changes.replaced) return;
    classIndex_ = -1; // other words have other classes
    if (changes.sameAudio) return;
    drag_ = Drag::nothing;
    clear();
}

void Marking::placeBand() {
    juce::Range<int> rows;
    if (!frequencies_.all() && spectrogram_.isVisible())
        rows = {spectrogram_.yOf(frequencies_.high), spectrogram_.yOf(frequencies_.low)};
    rows = rows.getIntersectionWith({0, spectrogram_.getHeight()}) + spectrogram_.getY();
    band.show(plot(), axis_, mark_, rows, frequenciesText(frequencies_));
}

// A drag that stays at one height marks times alone.
HertzRange Marking::frequenciesBetween(int y, int other) const {
    if (std::abs(y - other) < minHeight) return {};
    const auto hertz = [this](int at) {
        return spectrogram_.hertzAt(std::clamp(at - spectrogram_.getY(), 0, spectrogram_.getHeight() - 1));
    };
    return {hertz(std::max(y, other)), hertz(std::min(y, other))};
}

void Marking::markSpan(const MarkedSpan& span) {
    clear();
    mark_.set(span.event.onset, span.event.offset, axis_.contentEnd());
    classIndex_ = span.event.classIndex;
    frequencies_ = span.frequencies;
    show(MarkNews::made);
}

void Marking::askName() {
    if (mark_.exists()) notify(MarkNews::named);
}

void Marking::clear() {
    if (!mark_.exists()) return;
    mark_.clear();
    frequencies_ = {};
    classIndex_ = -1;
    placeBand();
    notify(MarkNews::gone);
}

bool Marking::press(const juce::MouseEvent& event) {
    const auto position = event.getPosition();
    pressedAt_ = secondsAt(view_, axis_, event.x);
    const bool inSpectrogram =
        spectrogram_.isVisible() && (spectrogram_.strip() + spectrogram_.getPosition()).contains(position);
    pressedInSpectrogram_ = inSpectrogram && !event.mods.isShiftDown();
    const bool inLane = (lanes_.cells() + lanes_.getPosition()).contains(position);
    if (const auto end = handleAt(reach(), axis_, mark_, position)) {
        drag_ = Drag::mark;
        mark_.dragFrom(*end);
    } else {
        const bool marks = inSpectrogram || (inLane && event.mods.isShiftDown());
        drag_ = marks ? Drag::newMark : Drag::nothing;
    }
    return drag_ != Drag::nothing;
}

void Marking::drag(const juce::MouseEvent& event) {
    if (drag_ == Drag::nothing) return;
    if (drag_ == Drag::newMark) {
        clear();
        axis_.stay();
        drag_ = Drag::mark;
        drawsNew_ = true;
        classIndex_ = lanes_.laneAt(event.getMouseDownY() - lanes_.getY());
        mark_.dragFrom(pressedAt_);
        showHandleCursor(true);
    }
    if (drawsNew_ && pressedInSpectrogram_) frequencies_ = frequenciesBetween(event.getMouseDownY(), event.y);
    // Beyond its edges the view follows.
    const int inside = std::clamp(event.x, plot().getX(), plot().getRight());
    juce::Component::beginDragAutoRepeat(inside == event.x ? 0 : edgeRepeat);
    if (inside != event.x)
        axis_.setStart(axis_.start() + edgePull * (event.x - inside) / plotWidth(view_) * axis_.visible());
    mark_.dragTo(secondsAt(view_, axis_, inside), axis_.contentEnd());
    placeBand();
}

bool Marking::release(const juce::MouseEvent& event) {
    const bool made = std::exchange(drawsNew_, false);
    if (std::exchange(drag_, Drag::nothing) != Drag::mark) return false;
    if (!event.mouseWasClicked()) show(made ? MarkNews::made : MarkNews::changed);
    return true;
}

void Marking::point(std::optional<juce::Point<int>> position) {
    if (drag_ != Drag::mark)
        showHandleCursor(position && handleAt(reach(), axis_, mark_, *position).has_value());
}

bool Marking::key(const juce::KeyPress& press) {
    if (!mark_.exists()) return false;
    const int code = press.getKeyCode();
    const bool left = code == juce::KeyPress::leftKey;
    const auto letter = press.getTextCharacter();
    if (letter == '[' || letter == ']') {
        moveEnd(Mark::End::onset, letter == '[' ? -markStep : markStep);
    } else if (letter == '{' || letter == '}') {
        moveEnd(Mark::End::offset, letter == '{' ? -markStep : markStep);
    } else if (press.getModifiers().isShiftDown() && (left || code == juce::KeyPress::rightKey)) {
        mark_.moveBy(left ? -markStep : markStep, axis_.contentEnd());
        axis_.reveal(mark_.onset());
        placeBand();
        notify(MarkNews::changed);
    } else if (code == juce::KeyPress::returnKey) {
        askName();
    } else if (code == juce::KeyPress::escapeKey || code == juce::KeyPress::deleteKey ||
               code == juce::KeyPress::backspaceKey) {
        clear();
    } else {
        return false;
    }
    return true;
}

void Marking::moveEnd(Mark::End end, double seconds) {
    mark_.moveEndBy(end, seconds, axis_.contentEnd());
    axis_.reveal(end == Mark::End::onset ? mark_.onset() : mark_.offset());
    show(MarkNews::changed);
}

// Scrolling must not move what is marked while it is named.
void Marking::show(MarkNews news) {
    axis_.stay();
    placeBand();
    if (!mark_.exists()) return;
    if (mark_.cut() && onNotice)
        onNotice("A mark is at most " + juce::String(Mark::longest, 0) + " s long: it was cut", Tone::busy);
    notify(news);
}

void Marking::showHandleCursor(bool handle) {
    view_.setMouseCursor(handle ? juce::MouseCursor::LeftRightResizeCursor : juce::MouseCursor::NormalCursor);
}

void Marking::notify(MarkNews news) const {
    if (onMark) onMark(news);
}

} // namespace earshot::ui
