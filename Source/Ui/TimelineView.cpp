#include "Ui/TimelineView.h"

#include "Ui/NonThrowing.h"
#include "Ui/Panels/Shortcuts.h"
#include "Ui/Teach/TeachEntries.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/HoverTip.h"
#include "Ui/Timeline/LaneMenu.h"
#include "Ui/Timeline/LanesView.h"
#include "Ui/Timeline/Marking.h"
#include "Ui/Timeline/PinnedNote.h"
#include "Ui/Timeline/PlayCursor.h"
#include "Ui/Timeline/Plot.h"
#include "Ui/Timeline/Ruler.h"
#include "Ui/Timeline/Scrolling.h"
#include "Ui/Timeline/Spans.h"
#include "Ui/Timeline/SpectrogramSplit.h"
#include "Ui/Timeline/SpectrogramView.h"
#include "Ui/WordLanes.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace earshot::ui {

namespace {

constexpr double keyMark = 1.0; // seconds that a key marks where no event is chosen

} // namespace

struct TimelineView::Impl : HistoryViewModel::Listener, juce::ChangeListener {
    Impl(TimelineView& view, Controller& theController, HistoryViewModel& theViewModel, TimeAxis& theAxis)
        : owner(view)
        , controller(theController)
        , viewModel(theViewModel)
        , axis(theAxis)
        , ruler(viewModel, axis)
        , spectrogram(controller.view(), viewModel, axis)
        , lanes(controller, viewModel, axis)
        , split(owner, controller)
        , scrolling(owner, controller, axis, lanes)
        , marking(owner, viewModel, axis, lanes, spectrogram)
        , cursor(controller.playback(), axis)
        , note(owner, controller, viewModel, tip) {
        for (auto* child : std::initializer_list<juce::Component*>{&ruler, &spectrogram, &lanes})
            owner.addAndMakeVisible(child);
        split.onMove = [this] { layOut(); };
        owner.addChildComponent(marking.band);
        owner.addChildComponent(cursor);
        owner.addChildComponent(toEnd);
        describe(toEnd, toEnd.getButtonText());
        owner.addChildComponent(tip);
        toEnd.setMouseClickGrabsKeyboardFocus(false);
        toEnd.onClick = [this] { axis.follow(); };
        marking.onMark = [this](MarkNews news) {
            if (owner.onMark) owner.onMark(news);
        };
        marking.onNotice = [this](const juce::String& text, Tone tone) { say(text, tone); };
        cursor.onFollow = [this] { followPlay(); };
        note.onIncluded = [this](const juce::String& text) { say(text, Tone::fine); };
        note.isTaught = [this](int lane) {
            return taughtSound(viewModel.teaching(), viewModel.label(lane)) != nullptr;
        };
        note.onNotThis = [this](const detection::Event& event) {
            const auto news = teachNot(controller, event);
            say(news.text, news.tone());
        };
        scrolling.restoreZoom();
        viewModel.addListener(this);
        axis.addChangeListener(this);
        controller.view().addChangeListener(this);
    }

    ~Impl() override {
        viewModel.removeListener(this);
        axis.removeChangeListener(this);
        controller.view().removeChangeListener(this);
    }

    // The places of the parts.
    bool overPlot(juce::Point<int> position) const { return position.x >= size::laneNames; }
    double secondsAt(int x) const { return ui::secondsAt(owner, axis, x); }
    // The lane at a point, or -1.
    int laneAt(juce::Point<int> position) const {
        return lanes.getBounds().contains(position) ? lanes.laneAt(position.y - lanes.getY()) : -1;
    }

    void historyChanged(const HistoryViewModel::Changes& changes) override {
        if (changes.replaced) note.close();
        // First: a moved axis asks which lane is where, and another model has other lanes.
        lanes.historyChanged(changes);
        note.historyChanged();
        marking.historyChanged(changes);
        if (changes.replaced && !changes.sameAudio) {
            scrolling.stop();
            axis.reset();
            // A recording is analysed much faster than it plays, so following its end would show nothing.
            if (controller.playback().showsRecording()) axis.stay();
        }
        showEnd();
        spectrogram.historyChanged(changes);
        if (changes.replaced || changes.columns) ruler.repaint();
        updateHover();
    }

    void showEnd() {
        const auto& status = viewModel.status();
        const double share = status.progress.value_or(0.0);
        const double whole = share > 0.0 ? status.heard / share : viewModel.end();
        axis.setContentEnd(viewModel.end(), controller.playback().showsRecording() ? whole : 0.0);
    }

    void changeListenerCallback(juce::ChangeBroadcaster* broadcaster) override {
        catchAll(owner, [&] { changed(broadcaster); });
    }

    void changed(juce::ChangeBroadcaster* broadcaster) {
        if (broadcaster == &axis) {
            axisMoved();
            return;
        }
        scrolling.restoreZoom();
        if (split.isStale()) layOut();
        spectrogram.repaint();
        marking.placeBand(); // other frequencies may be shown
        lanes.arrange();
    }

    void axisMoved() {
        note.close();
        ruler.repaint();
        spectrogram.repaint();
        lanes.axisMoved();
        toEnd.setVisible(!axis.following() && !controller.playback().showsRecording());
        cursor.place();
        marking.placeBand();
        updateHover();
    }

    void layOut() {
        auto area = owner.getLocalBounds();
        ruler.setBounds(area.removeFromTop(size::ruler).withTrimmedLeft(size::laneNames));
        const auto places = split.place(area, owner.getHeight());
        spectrogram.setBounds(places.spectrogram);
        spectrogram.setVisible(!places.spectrogram.isEmpty());
        lanes.setBounds(places.lanes);
        toEnd.setBounds(owner.getLocalBounds()
                            .removeFromBottom(size::control + size::gap)
                            .removeFromRight(112 + size::gap + 10)
                            .withSize(112, size::control));
        cursor.place();
        marking.placeBand();
    }

    // While a recording plays, its position says which sounds are lit.
    void followPlay() {
        const auto* player = cursor.player();
        const bool plays = player != nullptr && player->playing();
        lanes.updateSounding();
        ruler.setLoop(player != nullptr ? player->looped() : std::nullopt);
        if (plays && !played) note.close();
        if (owner.onPlay && (plays || played))
            owner.onPlay(plays ? std::optional(player->position()) : std::nullopt);
        played = plays;
    }

    // The tip beside the pointer, and the time under it.
    void updateHover(bool moved = false) {
        tellPointer(moved);
        if (tip.pinned()) return;
        const HoverText text = pointer ? textAt(*pointer) : HoverText();
        if (text.title.isEmpty())
            tip.hide();
        else
            tip.show(text, *pointer, false);
    }

    void tellPointer(bool moved) {
        std::optional<double> seconds;
        if (pointer && overPlot(*pointer)) seconds = secondsAt(pointer->x);
        if (seconds && (*seconds < 0.0 || *seconds >= axis.contentEnd())) seconds.reset();
        if (seconds == pointed) return;
        pointed = seconds;
        if (owner.onPointer) owner.onPointer(pointed, moved);
    }

    HoverText textAt(juce::Point<int> position) const {
        if (!overPlot(position)) return wordText(viewModel, laneAt(position));
        const double seconds = secondsAt(position.x);
        if (seconds < 0.0 || seconds >= axis.contentEnd()) return {};
        if (spectrogram.isVisible() && spectrogram.getBounds().contains(position))
            return spectrogramText(viewModel, seconds, spectrogram.hertzAt(position.y - spectrogram.getY()));
        return laneText(viewModel, laneAt(position), seconds);
    }

    void point(std::optional<juce::Point<int>> position) {
        pointer = position;
        lanes.setHovered(position ? laneAt(*position) : -1);
        marking.point(position);
        updateHover(true);
    }

    // A click without a drag.
    void click(const juce::MouseEvent& event) {
        const auto position = event.getPosition();
        lanes.outline(-1, 0.0, 0.0);
        if (!marking.isAt(position) && position.y >= size::ruler) marking.clear();
        const int lane = laneAt(position);
        if (!overPlot(position)) {
            note.close();
            lanes.select(lane);
            if (lane >= 0 && lanes.onPin(position))
                togglePinned(controller.view(), viewModel.label(lane).toStdString());
            return;
        }
        const auto text = textAt(position);
        if (text.advice.isNotEmpty()) {
            axis.stay(); // scrolling must not move what the user reads
            note.show(text, position, spanAt(position));
            return;
        }
        if (note.isOpen()) {
            note.close();
            updateHover();
            return;
        }
        if (auto* player = cursor.player())
            player->jump(std::clamp(secondsAt(position.x), 0.0, axis.contentEnd()));
    }

    void showMenu(int lane, juce::PopupMenu menu, juce::Rectangle<int> place) {
        tip.hide();
        lanes.select(lane);
        showLaneMenu(owner, std::move(menu), place);
    }

    // event: an event or near miss of the lane that the menu is about, too.
    juce::PopupMenu menuOf(int lane, const std::optional<detection::Event>& event,
                           juce::Rectangle<int> place) {
        if (!event) return laneMenu(owner, controller, viewModel, lane, place);
        Mark span;
        span.set(event->onset, event->offset, axis.contentEnd());
        juce::PopupMenu menu;
        addTeachEntries(
            menu, owner, controller, viewModel.label(lane), span, [this, event] { nameSpan(*event); },
            [this](const TeachNews& news) { say(news.text, news.tone()); });
        menu.addSeparator();
        return laneMenu(owner, controller, viewModel, lane, place, std::move(menu));
    }

    // That of the chosen lane, and of its chosen event.
    juce::PopupMenu menuOfChosen() {
        const int lane = lanes.selected();
        return menuOf(lane, chosenIn(lane), namePlace(lane));
    }

    // The event or near miss at a point.
    std::optional<detection::Event> spanAt(juce::Point<int> position) const {
        if (!overPlot(position)) return std::nullopt;
        return ui::spanAt(viewModel, laneAt(position), secondsAt(position.x));
    }

    void say(const juce::String& text, Tone tone) {
        if (owner.onNotice) owner.onNotice(text, tone);
    }

    void markSpan(const MarkedSpan& span) {
        tip.hide();
        marking.markSpan(span);
    }
    void nameSpan(const detection::Event& event) {
        markSpan({event});
        marking.askName();
    }

    void press(const juce::MouseEvent& event) {
        scrolling.stop();
        if (!marking.press(event)) scrolling.press(event);
    }

    void drags(const juce::MouseEvent& event) {
        point({});
        marking.drag(event);
        scrolling.drag(event);
    }

    void release(const juce::MouseEvent& event) {
        scrolling.stop();
        const bool marked = marking.release(event);
        const bool clicked = event.mouseWasClicked() && !event.mods.isPopupMenu();
        if (marked && !clicked) point(event.getPosition());
        if (!marked && clicked) click(event);
    }

    void doubleClick(juce::Point<int> position) {
        if (!overPlot(position)) return;
        const auto* event = viewModel.events().eventAt(laneAt(position), secondsAt(position.x));
        if (event == nullptr)
            axis.follow();
        else
            markSpan({*event});
    }

    // The event or near miss that keys or the list have chosen: it is outlined.
    const std::optional<detection::Event>& chosen() const { return lanes.outlined(); }
    std::optional<detection::Event> chosenIn(int lane) const {
        return chosen() && chosen()->classIndex == lane ? chosen() : std::nullopt;
    }

    // What keys without an event are about: the play position, or the middle of what is in view.
    double moment() const {
        if (cursor.isVisible()) return cursor.seconds();
        return (std::max(axis.start(), 0.0) + std::min(axis.end(), axis.contentEnd())) / 2.0;
    }

    // Chooses the next event or near miss of a lane, or the one before, and shows what there is to say about
    // it.
    void chooseSpan(int lane, bool next) {
        const auto before = chosenIn(lane);
        const auto found = nextSpan(viewModel, lane, before ? before->onset : moment(), next);
        if (!found) return;
        const auto& span = *found;
        axis.stay();
        axis.reveal(span.onset);
        lanes.outline(lane, span.onset, span.offset);
        lanes.scrollTo(lane);
        const double middle = (span.onset + span.offset) / 2.0;
        const auto text = laneText(viewModel, lane, middle);
        const auto row = lanes.laneBounds(lane) + lanes.getPosition();
        const double x =
            std::clamp(axis.x(middle, plotWidth(owner)), 0.0, static_cast<double>(plotWidth(owner)));
        note.show(text, {size::laneNames + juce::roundToInt(x), row.getCentreY()}, span);
        juce::AccessibilityHandler::postAnnouncement(
            owner.hoverText(), juce::AccessibilityHandler::AnnouncementPriority::medium);
    }

    bool markChosen() { // Returns whether something was heard that can be marked.
        if (!(axis.contentEnd() >= Mark::shortest)) return false;
        const double middle = moment();
        markSpan({chosen().value_or(
            detection::Event{lanes.selected(), middle - keyMark / 2.0, middle + keyMark / 2.0})});
        return true;
    }

    bool key(const juce::KeyPress& press) {
        const int code = press.getKeyCode();
        const auto letter = juce::CharacterFunctions::toLowerCase(press.getTextCharacter());
        // Some keyboards type brackets with AltGr, which some systems tell as Ctrl and Alt.
        const bool bracket = juce::String("[]{}").containsChar(letter);
        const auto mods = press.getModifiers();
        if ((mods.isCtrlDown() || mods.isAltDown() || mods.isCommandDown()) && !bracket) return false;
        if (marking.key(press) || scrolling.key(press)) return true;
        const int lane = lanes.selected();
        if (code == juce::KeyPress::upKey || code == juce::KeyPress::downKey)
            chooseOrMove(code == juce::KeyPress::upKey ? -1 : 1, press.getModifiers().isShiftDown());
        else if (code == juce::KeyPress::escapeKey && note.isOpen())
            note.close();
        else if (letter == 'i')
            return note.include();
        else if (isMenuKey(press) || (lane >= 0 && code == juce::KeyPress::returnKey))
            showMenu(lane, menuOfChosen(), namePlace(lane));
        else if (letter == 'm')
            return markChosen();
        else if (letter == 'a')
            lanes.toggleQuiet();
        else if (lane >= 0 && (letter == ',' || letter == '.'))
            chooseSpan(lane, letter == '.');
        else
            return lane >= 0 &&
                   laneKey(owner, controller, viewModel.label(lane), chosenWord(), press, namePlace(lane));
        return true;
    }

    // Chooses the lane above or below, or moves the chosen one there if it is a word.
    void chooseOrMove(int places, bool moves) {
        const auto* word = moves ? chosenWord() : nullptr;
        if (word == nullptr) {
            lanes.selectBy(places);
            if (chosen() && !chosenIn(lanes.selected())) lanes.outline(-1, 0.0, 0.0);
            note.close();
            return;
        }
        controller.words().move(word->id, places);
        viewModel.update();
        lanes.scrollTo(lanes.selected());
    }

    // The word of the chosen lane, if that can be seen: a search may have left it out.
    const Word* chosenWord() const {
        const auto* labels = viewModel.history().labels.get();
        if (labels == nullptr || lanes.laneBounds(lanes.selected()).isEmpty()) return nullptr;
        return wordOf(viewModel.words(), *labels, lanes.selected());
    }

    juce::Rectangle<int> namePlace(int lane) const {
        return lanes.laneBounds(lane).withWidth(size::laneNames) + lanes.getPosition();
    }

    TimelineView& owner;
    Controller& controller;
    HistoryViewModel& viewModel;
    TimeAxis& axis;
    NonThrowing<Ruler> ruler;
    NonThrowing<SpectrogramView> spectrogram;
    NonThrowing<LanesView> lanes;
    SpectrogramSplit split;
    Scrolling scrolling;
    Marking marking;
    NonThrowing<PlayCursor> cursor;
    NonThrowing<juce::TextButton> toEnd{"Back to now"};
    NonThrowing<HoverTip> tip;
    PinnedNote note;
    std::optional<juce::Point<int>> pointer;
    std::optional<double> pointed; // seconds under the pointer
    bool played = false;           // the recording played when the cursor moved last
};

TimelineView::TimelineView(Controller& controller, HistoryViewModel& viewModel, TimeAxis& axis)
    : impl_(std::make_unique<Impl>(*this, controller, viewModel, axis)) {
    setOpaque(true);
    setWantsKeyboardFocus(true);
    setTitle("Timeline");
    setHelpText(
        "Left and right scroll, plus and minus zoom, End follows the live position. Up and down select a "
        "sound; P pins it, S solos it, H hides it, Return shows its menu, A shows all sounds. Comma and full "
        "stop step through "
        "its events. R renames a word, Delete removes it, Shift with up or down moves it. M or a drag over "
        "the spectrogram marks a sound; then Return names the mark, Delete removes it, Shift with left or "
        "right moves it, brackets move its beginning and braces its end.");
}

TimelineView::~TimelineView() = default;

void TimelineView::setSearch(const juce::String& text) { impl_->lanes.setSearch(text); }

void TimelineView::showEnd() { impl_->showEnd(); }

void TimelineView::reveal(int classIndex, double onset, double offset) {
    impl_->axis.reveal(onset);
    impl_->lanes.outline(classIndex, onset, offset); // gives it a lane
    impl_->lanes.scrollTo(classIndex);
}

void TimelineView::nameSpan(const detection::Event& event) { impl_->nameSpan(event); }
void TimelineView::clearMark() { impl_->marking.clear(); }
const Mark& TimelineView::mark() const { return impl_->marking.mark(); }
std::optional<MarkedSpan> TimelineView::markedSpan() const { return impl_->marking.span(); }
void TimelineView::restoreMark(const std::optional<MarkedSpan>& span) {
    span ? impl_->markSpan(*span) : clearMark();
}
juce::String TimelineView::markName() const { return impl_->marking.name(); }
juce::Rectangle<int> TimelineView::markPlace() const { return impl_->marking.place(); }
juce::PopupMenu TimelineView::menuAt(juce::Point<int> position) {
    return impl_->menuOf(impl_->laneAt(position), impl_->spanAt(position), {position.x, position.y, 1, 1});
}
juce::PopupMenu TimelineView::menuOfChosen() { return impl_->menuOfChosen(); }

juce::String TimelineView::hoverText() const { return impl_->tip.text(); }
const std::vector<int>& TimelineView::lanes() const { return impl_->lanes.lanes(); }

void TimelineView::paint(juce::Graphics& graphics) { graphics.fillAll(Theme::of(*this).background); }
void TimelineView::resized() { impl_->layOut(); }
void TimelineView::lookAndFeelChanged() { repaint(); }
void TimelineView::mouseMove(const juce::MouseEvent& event) { impl_->point(event.getPosition()); }
void TimelineView::mouseExit(const juce::MouseEvent&) { impl_->point({}); }

void TimelineView::mouseDown(const juce::MouseEvent& event) {
    if (event.mods.isPopupMenu()) {
        const auto at = event.getPosition();
        impl_->showMenu(impl_->laneAt(at), menuAt(at), {at.x, at.y, 1, 1});
        return;
    }
    impl_->press(event);
}

void TimelineView::mouseDrag(const juce::MouseEvent& event) {
    if (!event.mods.isPopupMenu() && !event.mouseWasClicked()) impl_->drags(event);
}

// A drag also ends when the right button, pressed meanwhile, is the last to go up.
void TimelineView::mouseUp(const juce::MouseEvent& event) { impl_->release(event); }

void TimelineView::mouseDoubleClick(const juce::MouseEvent& event) {
    impl_->doubleClick(event.getPosition());
}

void TimelineView::mouseWheelMove(const juce::MouseEvent& event, const juce::MouseWheelDetails& wheel) {
    impl_->scrolling.wheel(event, wheel);
    impl_->point(event.getPosition());
}

void TimelineView::mouseMagnify(const juce::MouseEvent& event, float factor) {
    impl_->scrolling.magnify(event, factor);
}

bool TimelineView::keyPressed(const juce::KeyPress& key) { return impl_->key(key); }

} // namespace earshot::ui
