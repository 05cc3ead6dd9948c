#include "Ui/Teach/MarkBar.h"

#include "Core/Streaming/FilePlayer.h"
#include "Ui/Teach/TeachEntries.h"

#include <algorithm>

namespace earshot::ui {

namespace {

constexpr int barHeight = 40;
constexpr int nameHeight = 22;
constexpr int maxNames = 7;  // at once; the list scrolls
constexpr int listSpace = 8; // below the list
constexpr int apart = 6;     // between bar and mark
constexpr int looksPerSecond = 10;

} // namespace

juce::StringArray soundsLike(const juce::String& typed, const juce::StringArray& taught,
                             const juce::StringArray& classes) {
    const auto text = typed.trim();
    juce::StringArray names;
    const auto add = [&](const juce::StringArray& from, bool begins) {
        for (const auto& name : from)
            if (name.startsWithIgnoreCase(text) == begins && name.containsIgnoreCase(text))
                names.addIfNotAlreadyThere(name);
    };
    add(taught, true);
    if (text.isEmpty()) return names;
    add(classes, true);
    add(taught, false);
    add(classes, false);
    if (names.size() == 1 && names[0] == text) names.clear();
    return names;
}

MarkBar::MarkBar(Controller& controller, HistoryViewModel& viewModel, TimelineView& timeline)
    : controller_(controller)
    , viewModel_(viewModel)
    , timeline_(timeline)
    , play_(Sign::play, "Play the mark", "Play the marked stretch in a loop; click again to stop")
    , close_(Sign::close, "Remove the mark", "Remove the mark (Escape)", false) {
    describe(*this, "Name the mark");
    setFocusContainerType(FocusContainerType::focusContainer);
    setVisible(false);
    play_.onClick = [this] { setPlays(!plays_); };
    addChildComponent(play_);
    field_.setSelectAllWhenFocused(true);
    field_.onTextChange = [this] {
        catchAll(*this, [this] {
            showNames(true);
            showTeaching();
        });
    };
    field_.onKey = [this](const juce::KeyPress& key) { return listKey(key); };
    field_.onReturn = [this] { return acceptReturn(); };
    addAndMakeVisible(field_);
    describeWithTooltip(teach_, "Add example", "Add the marked stretch as an example of this sound (Return)");
    teach_.onClick = [this] { teach(); };
    addAndMakeVisible(teach_);
    describeWithTooltip(not_, "Not this",
                        "Add the marked stretch as an example of what a taught sound is not");
    not_.setClickingTogglesState(true);
    not_.onClick = [this] {
        showMode();
        takeKeyboard(field_);
    };
    addAndMakeVisible(not_);
    close_.onClick = [this] { removeMark(); };
    addAndMakeVisible(close_);
    list_.setModel(this);
    list_.setRowHeight(nameHeight);
    list_.setWantsKeyboardFocus(false); // the field chooses among its rows
    describe(list_, "Names of sounds");
    nameScrollBars(*list_.getViewport(), "the names");
    addChildComponent(list_);
    showMode();
}

MarkBar::~MarkBar() { list_.setModel(nullptr); }

void MarkBar::follow(MarkNews news) {
    switch (news) {
    case MarkNews::made:
        open();
        break;
    case MarkNews::changed:
        if (auto* player = controller_.playback().playable(); player != nullptr && player->looped())
            player->setLoop(timeline_.mark().onset(), timeline_.mark().offset());
        break;
    case MarkNews::named:
        takeKeyboard(field_);
        break;
    case MarkNews::gone:
        close();
        break;
    }
    place();
}

void MarkBar::open() {
    not_.setToggleState(false, juce::dontSendNotification);
    field_.setText(timeline_.markName(), false);
    play_.setVisible(controller_.playback().playable() != nullptr);
    setVisible(true);
    showMode();
    showNames(false);
    resized();
    startTimerHz(looksPerSecond);
}

void MarkBar::close() {
    stopTimer();
    setPlays(false);
    setVisible(false);
}

void MarkBar::removeMark() {
    timeline_.clearMark();
    takeKeyboard(timeline_);
}

void MarkBar::setPlays(bool plays) {
    if (plays == plays_) return;
    if (const auto why = plays ? viewModel_.whyNotPlayed() : juce::String(); why.isNotEmpty()) {
        if (onNotice) onNotice(why, Tone::trouble);
        return;
    }
    plays_ = plays;
    play_.setSign(plays ? Sign::stop : Sign::play);
    play_.setTitle(plays ? "Stop" : "Play the mark");
    if (plays) return loopMark();
    if (auto* player = controller_.playback().player()) {
        player->stop();
        player->stopLoop();
    }
}

void MarkBar::loopMark() {
    if (auto* player = controller_.playback().player())
        player->loop(timeline_.mark().onset(), timeline_.mark().offset());
}

void MarkBar::timerCallback() {
    catchAll(*this, [this] { tick(); });
}

// The player may have been stopped elsewhere.
void MarkBar::tick() {
    const auto* player = controller_.playback().playable();
    if (plays_ && !(player != nullptr && player->playing())) setPlays(false);
}

juce::String MarkBar::sound() const {
    const auto text = field_.getText().trim();
    if (const auto* taught = taughtSound(viewModel_.teaching(), text)) return taught->name;
    return not_.getToggleState() ? juce::String() : text;
}

void MarkBar::showMode() {
    const bool is = !not_.getToggleState();
    describeWithTooltip(field_, is ? "This is" : "This is not",
                        is ? "The name of the sound: choose one or type a new one"
                           : "The taught sound this is mistaken for");
    lookAndFeelChanged();
    showNames(list_.isVisible());
    showTeaching();
}

void MarkBar::showTeaching() {
    not_.setEnabled(not_.getToggleState() || !viewModel_.teaching().sounds.empty());
    teach_.setEnabled(sound().isNotEmpty());
}

void MarkBar::showNames(bool shown) {
    juce::StringArray taught, classes;
    for (const auto& known : viewModel_.teaching().sounds) taught.add(known.name);
    if (const auto* labels = viewModel_.history().labels.get(); labels != nullptr && !not_.getToggleState())
        for (const auto& name : labels->names()) classes.add(toText(name));
    choices_ = shown ? soundsLike(field_.getText(), taught, classes) : juce::StringArray();
    list_.setVisible(!choices_.isEmpty());
    list_.updateContent();
    list_.deselectAllRows();
    list_.repaint();
    place();
}

void MarkBar::choose(int row) {
    if (row < 0 || row >= choices_.size()) return;
    field_.setText(choices_[row], false);
    showNames(false);
    showTeaching();
    takeKeyboard(field_);
}

bool MarkBar::listKey(const juce::KeyPress& key) {
    const bool down = key == juce::KeyPress(juce::KeyPress::downKey);
    if (!down && key != juce::KeyPress(juce::KeyPress::upKey)) return false;
    if (!list_.isVisible()) {
        if (down) showNames(true);
        return true;
    }
    const int row = list_.getSelectedRow() + (down ? 1 : -1);
    if (row < 0)
        list_.deselectAllRows(); // back to what was typed
    else
        list_.selectRow(std::min(row, choices_.size() - 1));
    const auto chosen = choices_[list_.getSelectedRow()];
    if (chosen.isNotEmpty())
        juce::AccessibilityHandler::postAnnouncement(
            chosen, juce::AccessibilityHandler::AnnouncementPriority::medium);
    return true;
}

bool MarkBar::acceptReturn() {
    if (list_.isVisible() && list_.getSelectedRow() >= 0)
        choose(list_.getSelectedRow());
    else
        teach();
    return true;
}

void MarkBar::teach() {
    const auto name = sound();
    if (name.isEmpty()) return;
    const auto news = teachSpan(controller_, name, timeline_.mark(), !not_.getToggleState());
    if (onNotice) onNotice(news.text, news.tone());
    if (news.kept) removeMark(); // else it is to be marked or named otherwise
}

bool MarkBar::keyPressed(const juce::KeyPress& key) {
    if (key != juce::KeyPress(juce::KeyPress::escapeKey)) return false;
    if (list_.isVisible())
        showNames(false);
    else
        removeMark();
    return true;
}

void MarkBar::listBoxItemClicked(int row, const juce::MouseEvent&) {
    catchAll(*this, [&] { choose(row); });
}

void MarkBar::paintListBoxItem(int row, juce::Graphics& graphics, int rowWidth, int rowHeight,
                               bool selected) {
    catchAll(*this, [&] {
        if (row < 0 || row >= choices_.size()) return;
        const auto& palette = Theme::of(*this);
        const juce::Rectangle<int> area(rowWidth, rowHeight);
        if (selected) {
            graphics.setColour(palette.raised);
            graphics.fillRoundedRectangle(area.toFloat(), size::corner - 2.0f);
        }
        auto words = area.reduced(size::gap, 0);
        graphics.setFont(Theme::font(12.0f));
        if (taughtSound(viewModel_.teaching(), choices_[row]) != nullptr) {
            graphics.setColour(palette.secondary);
            graphics.drawText("taught", words.removeFromRight(50), juce::Justification::centredRight, false);
        }
        graphics.setColour(palette.text);
        graphics.drawText(choices_[row], words, juce::Justification::centredLeft, true);
    });
}

int MarkBar::heightNow() const {
    const int names = list_.isVisible() ? std::min(choices_.size(), maxNames) : 0;
    return barHeight + (names > 0 ? names * nameHeight + listSpace : 0);
}

void MarkBar::place() {
    if (!isVisible()) return;
    const auto room = getParentComponent()->getLocalBounds().withTrimmedTop(size::topBar).reduced(4);
    setBounds(beside(timeline_.markPlace() + timeline_.getPosition(), heightNow(), room));
}

juce::Rectangle<int> MarkBar::beside(juce::Rectangle<int> mark, int height, juce::Rectangle<int> room) {
    auto place = juce::Rectangle<int>(std::min(width, room.getWidth()), height)
                     .withX(mark.getCentreX() - width / 2)
                     .withY(mark.getBottom() + apart);
    // As much room as the longest list may need, so that the bar does not jump while a name is typed.
    if (place.getY() + barHeight + maxNames * nameHeight + listSpace > room.getBottom() &&
        mark.getY() - apart - barHeight >= room.getY())
        place.setY(mark.getY() - apart - barHeight);
    return place.constrainedWithin(room);
}

void MarkBar::lookAndFeelChanged() {
    dressEditor(field_, juce::String::fromUTF8(not_.getToggleState() ? "This is not…" : "This is…"));
    field_.repaint();
}

void MarkBar::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    const auto area = getLocalBounds().toFloat();
    graphics.setColour(palette.panel);
    graphics.fillRoundedRectangle(area, size::corner + 2.0f);
    graphics.setColour(palette.line.interpolatedWith(palette.secondary, 0.5f));
    graphics.drawRoundedRectangle(area.reduced(0.5f), size::corner + 2.0f, 1.0f);
}

void MarkBar::resized() {
    auto area = getLocalBounds();
    auto row = area.removeFromTop(barHeight).reduced(size::gap, 0);
    row = row.withSizeKeepingCentre(row.getWidth(), size::control);
    if (play_.isVisible()) {
        play_.setBounds(row.removeFromLeft(32));
        row.removeFromLeft(size::gap);
    }
    close_.setBounds(row.removeFromRight(28));
    row.removeFromRight(4);
    not_.setBounds(row.removeFromRight(72));
    row.removeFromRight(size::gap);
    teach_.setBounds(row.removeFromRight(96));
    row.removeFromRight(size::gap);
    field_.setBounds(row);
    list_.setBounds(area.withTrimmedBottom(std::min(area.getHeight(), listSpace)).reduced(size::gap, 0));
}

} // namespace earshot::ui
