#include "Ui/Panels/EventTable.h"

#include "Core/Formats/EventFormats.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/Shortcuts.h"
#include "Ui/Timeline/LaneMarks.h"

#include <algorithm>
#include <set>

namespace earshot::ui {

namespace {

constexpr std::array<EventColumn, 4> columns{EventColumn::time, EventColumn::sound, EventColumn::length,
                                             EventColumn::peak};

using detection::Event;

constexpr float familySize = 6.0f; // of the dot before a sound, logical pixels

// How sure an event is: its confidence, or else its peak.
float certaintyOf(const Event& event) { return event.confidence > 0.0f ? event.confidence : event.peak; }

// Compares the column alone. Events arrive by onset, and a stable sort keeps that order among equals.
void sortBy(std::vector<Event>& rows, const detection::Labels* labels, EventOrder order) {
    const auto sort = [&](auto value) {
        if (order.descending)
            std::stable_sort(rows.begin(), rows.end(),
                             [&](const Event& a, const Event& b) { return value(a) > value(b); });
        else
            std::stable_sort(rows.begin(), rows.end(),
                             [&](const Event& a, const Event& b) { return value(a) < value(b); });
    };
    switch (order.column) {
    case EventColumn::time:
        if (order.descending) std::reverse(rows.begin(), rows.end());
        break;
    case EventColumn::sound: {
        // The alphabetical rank of each class, so that a hundred thousand names need no comparison.
        std::vector<int> classes(labels != nullptr ? static_cast<std::size_t>(labels->count()) : 0);
        for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<int>(i);
        std::stable_sort(classes.begin(), classes.end(),
                         [&](int a, int b) { return labels->name(a) < labels->name(b); });
        std::vector<int> place(classes.size());
        for (std::size_t i = 0; i < classes.size(); ++i)
            place[static_cast<std::size_t>(classes[i])] = static_cast<int>(i);
        sort([&](const Event& event) {
            const auto index = static_cast<std::size_t>(event.classIndex);
            return index < place.size() ? place[index] : event.classIndex;
        });
        break;
    }
    case EventColumn::length:
        sort([](const Event& event) { return event.offset - event.onset; });
        break;
    case EventColumn::peak:
        sort(certaintyOf);
        break;
    }
}

bool same(const Event& a, const Event& b) {
    return EventRows::key(a) == EventRows::key(b) && a.offset == b.offset && a.peak == b.peak &&
           a.confidence == b.confidence;
}

} // namespace

// Keys besides JUCE's own: copying, and arrows that go to the event.
class EventTable::List : public FocusRing<juce::ListBox> {
  public:
    explicit List(EventTable& table)
        : FocusRing<juce::ListBox>("Events", &table)
        , table_(table) {}

    bool keyPressed(const juce::KeyPress& key) override {
        if (key == juce::KeyPress('c', juce::ModifierKeys::commandModifier, 0)) {
            if (table_.onCopy) table_.onCopy();
            return true;
        }
        return table_.press(key) || juce::ListBox::keyPressed(key);
    }

  private:
    EventTable& table_;
};

EventTable::EventTable(HistoryViewModel& viewModel)
    : viewModel_(viewModel)
    , list_(std::make_unique<NonThrowing<List>>(*this)) {
    const char* names[] = {"Time", "Sound", "Length", nameOfCertainty()};
    for (std::size_t i = 0; i < headers_.size(); ++i) {
        headers_[i] = std::make_unique<NonThrowing<ColumnHeader>>(names[i]);
        headers_[i]->onClick = [this, column = columns[i]] {
            setOrder({column, order_.column == column && !order_.descending});
        };
        addAndMakeVisible(*headers_[i]);
    }
    showOrder();
    describe(*this, "Events");
    describe(
        *list_, "Events",
        "Return shows an event, Space plays it, M marks it, R and W judge it right or wrong, N goes to the "
        "next one that was not judged, Shift+F10 "
        "opens its menu; Ctrl+C copies the selection");
    nameScrollBars(*list_->getViewport(), "the events");
    list_->setRowHeight(rowHeight);
    list_->setMultipleSelectionEnabled(true);
    list_->setColour(juce::ListBox::backgroundColourId, juce::Colours::transparentBlack);
    list_->setOutlineThickness(0);
    addAndMakeVisible(*list_);
}

EventTable::~EventTable() { list_->setModel(nullptr); }

void EventTable::update(const std::vector<bool>& shown) {
    shown_ = shown;
    if (headers_.back()->getName() != nameOfCertainty()) headers_.back()->rename(nameOfCertainty());
    const auto selected = list_->getSelectedRows();
    const int known = selected.isEmpty() ? 0 : selected.getTotalRange().getEnd();
    std::set<EventRows::Key> keys; // keys of the selected rows, needed only if rows before them moved
    std::vector<EventRows::Key> selectedKeys;
    for (int i = 0; i < selected.size(); ++i)
        if (selected[i] < rows_.count())
            selectedKeys.push_back(EventRows::key(rows_.rows()[static_cast<std::size_t>(selected[i])]));

    if (!rows_.update(viewModel_.found(), viewModel_.history().labels.get(), shown_, order_)) return;
    list_->updateContent();
    if (!selected.isEmpty() && rows_.unchanged() < known) {
        keys.insert(selectedKeys.begin(), selectedKeys.end());
        juce::SparseSet<int> moved;
        for (int row = 0; row < rows_.count(); ++row)
            if (keys.count(EventRows::key(rows_.rows()[static_cast<std::size_t>(row)])) > 0)
                moved.addRange({row, row + 1});
        list_->setSelectedRows(moved, juce::dontSendNotification);
    }
    list_->repaint();
    repaint();
    if (following_) showNewest();
}

void EventTable::setFollowing(bool following) {
    if (following && !following_) {
        following_ = true;
        showNewest();
    }
    following_ = following;
}

void EventTable::showNewest() {
    if (order_.column != EventColumn::time || rows_.count() == 0) return;
    list_->scrollToEnsureRowIsOnscreen(order_.descending ? 0 : rows_.count() - 1);
}

void EventTable::setPlaying(std::optional<double> seconds) {
    const auto before = std::exchange(playing_, seconds);
    const auto sounds = [](const Event& event, std::optional<double> at) {
        return at && event.onset <= *at && *at < event.offset;
    };
    const auto differs = [&](const Event& event) { return sounds(event, before) != sounds(event, seconds); };
    if (std::ranges::any_of(rows_.rows(), differs)) list_->repaint();
}

void EventTable::setOrder(EventOrder order) {
    if (order == order_) return;
    order_ = order;
    showOrder();
    update(shown_);
}

void EventTable::showOrder() {
    using Order = ColumnHeader::Order;
    const auto order = order_.descending ? Order::falling : Order::rising;
    for (std::size_t i = 0; i < headers_.size(); ++i)
        headers_[i]->show(columns[i] == order_.column ? order : Order::none);
}

void EventTable::select(const juce::SparseSet<int>& rows) { list_->setSelectedRows(rows); }

int EventTable::selectedCount() const { return list_->getNumSelectedRows(); }

std::vector<detection::Event> EventTable::chosen() const {
    if (selectedCount() >= 2) return selected();
    return {rows_.rows().begin(), rows_.rows().end()};
}

std::vector<detection::Event> EventTable::selected() const { return eventsOf(list_->getSelectedRows()); }

std::vector<detection::Event> EventTable::eventsOf(const juce::SparseSet<int>& chosenRows) const {
    const auto rows = rows_.rows();
    std::vector<detection::Event> events;
    for (int range = 0; range < chosenRows.getNumRanges(); ++range)
        for (int row = chosenRows.getRange(range).getStart(); row < chosenRows.getRange(range).getEnd();
             ++row)
            if (row < rows_.count()) events.push_back(rows[static_cast<std::size_t>(row)]);
    return events;
}

// JUCE drags what has a description.
juce::var EventTable::getDragSourceDescription(const juce::SparseSet<int>& rows) {
    bool drags = false;
    catchAll(*this, [&] { drags = onDrag && onDrag(eventsOf(rows)); });
    return drags ? juce::var("events") : juce::var();
}

void EventTable::setHeaderTaken(int width) {
    headerTaken_ = width;
    resized();
}

std::array<int, 5> EventTable::edges() const {
    const bool tight = getWidth() - headerTaken_ < 500;
    const int time = tight ? 80 : 118;
    const int number = tight ? 62 : 90;
    const int sound = std::clamp(getWidth() - headerTaken_ - size::margin - time - 2 * number, 100, 320);
    std::array<int, 5> left{size::margin};
    const int widths[] = {time, sound, number, number};
    for (std::size_t i = 0; i < 4; ++i) left[i + 1] = left[i] + widths[i];
    return left;
}

juce::StringArray EventTable::cells(const detection::Event& event) const {
    const auto sound = formats::labelWithChannel(
        {.label = viewModel_.label(event.classIndex).toStdString(), .channel = event.channel});
    return {viewModel_.timeText(event.onset), toText(sound),
            juce::String(event.offset - event.onset, 1) + " s", juce::String(certaintyOf(event), 2)};
}

const char* EventTable::nameOfCertainty() const { return viewModel_.byConfidence() ? "Confidence" : "Peak"; }

void EventTable::show(int row) {
    list_->selectRow(row);
    goTo(row);
}

int EventTable::lastSelected() const {
    return list_->getNumSelectedRows() > 0 ? list_->getLastRowSelected() : -1;
}

bool EventTable::press(const juce::KeyPress& key) {
    if (key == juce::KeyPress('n') && onNext) {
        onNext();
        return true;
    }
    const int row = list_->getLastRowSelected();
    if (row < 0 || row >= rows_.count()) return false;
    const Event event = rows_.rows()[static_cast<std::size_t>(row)];
    if (isMenuKey(key) && onMenu) {
        list_->scrollToEnsureRowIsOnscreen(row);
        onMenu(event, list_->getRowPosition(row, true) + list_->getPosition());
        return true;
    }
    if (key.getModifiers().isAnyModifierKeyDown()) return false;
    const auto is = [&key](char letter) {
        return key.getKeyCode() == juce::KeyPress(letter).getKeyCode() ||
               key.getTextCharacter() == static_cast<juce::juce_wchar>(letter);
    };
    if (key.getKeyCode() == juce::KeyPress::spaceKey && onPlay) {
        onPlay(event);
        return true;
    }
    if (is('m') && onMark) {
        onMark(event);
        return true;
    }
    if ((is('r') || is('w')) && onVerdict) {
        onVerdict(event, is('r'));
        return true;
    }
    return false;
}

// JUCE's list calls these functions.
void EventTable::paintListBoxItem(int row, juce::Graphics& graphics, int width, int height, bool selected) {
    catchAll(*this, [&] { paintRow(row, graphics, {width, height}, selected); });
}

juce::String EventTable::getNameForRow(int row) {
    juce::String name;
    catchAll(*this, [&] { name = rowName(row); });
    return name;
}

void EventTable::listBoxItemClicked(int row, const juce::MouseEvent& event) {
    catchAll(*this, [&] { click(row, event); });
}

void EventTable::returnKeyPressed(int row) {
    catchAll(*this, [&] { goTo(row); });
}

void EventTable::selectedRowsChanged(int) {
    catchAll(*this, [this] {
        if (onSelection) onSelection();
    });
}

void EventTable::paintRow(int row, juce::Graphics& graphics, juce::Rectangle<int> bounds, bool selected) {
    if (row < 0 || row >= rows_.count()) return;
    const auto& palette = Theme::of(*this);
    if (selected) {
        graphics.setColour(palette.raised);
        graphics.fillRoundedRectangle(bounds.toFloat().reduced(6.0f, 0.0f), size::corner - 2.0f);
    }
    const auto& event = rows_.rows()[static_cast<std::size_t>(row)];
    const bool sounds = playing_ && event.onset <= *playing_ && *playing_ < event.offset;
    const auto texts = cells(event);
    const auto left = edges();
    graphics.setFont(Theme::font(12.0f));
    for (int i = 0; i < texts.size(); ++i) {
        const auto index = static_cast<std::size_t>(i);
        const auto area =
            juce::Rectangle<int>(left[index], 0, left[index + 1] - left[index] - 8, bounds.getHeight());
        graphics.setColour(sounds ? palette.accent : palette.text);
        if (columns[index] == EventColumn::sound) {
            graphics.drawText(texts[i], area, juce::Justification::centredLeft, true);
            graphics.setColour(
                palette.of(detection::familyOf(viewModel_.label(event.classIndex).toStdString())));
            graphics.fillEllipse(juce::Rectangle<float>(familySize, familySize)
                                     .withCentre({static_cast<float>(area.getX()) - familySize - 2.0f,
                                                  static_cast<float>(area.getCentreY())}));
        } else {
            Theme::drawNumber(graphics, texts[i], area.toFloat(), juce::Justification::centredLeft);
        }
    }
    if (const auto verdict = verdictOf ? verdictOf(event) : Verdict())
        paintReview(graphics, bounds.withTrimmedLeft(left.back()), *verdict);
}

void EventTable::paintReview(juce::Graphics& graphics, juce::Rectangle<int> area, bool right) const {
    constexpr int sign = 14;
    const auto& palette = Theme::of(*this);
    paintVerdict(graphics, area.removeFromLeft(sign).withSizeKeepingCentre(sign, sign).toFloat(), right,
                 palette);
    graphics.setColour(palette.text);
    graphics.drawText(right ? "Right" : "Wrong", area.withTrimmedLeft(4), juce::Justification::centredLeft,
                      true);
}

juce::String EventTable::rowName(int row) const {
    if (row < 0 || row >= rows_.count()) return {};
    const auto& event = rows_.rows()[static_cast<std::size_t>(row)];
    const auto texts = cells(event);
    const auto verdict = verdictOf ? verdictOf(event) : Verdict();
    return texts[1] + " at " + texts[0] + ", " + texts[2] + ", " +
           juce::String(nameOfCertainty()).toLowerCase() + " " + texts[3] +
           (!verdict   ? ""
            : *verdict ? ", right"
                       : ", wrong");
}

void EventTable::click(int row, const juce::MouseEvent& event) {
    if (row < 0 || row >= rows_.count()) return;
    if (event.mods.isPopupMenu()) {
        const auto at = event.getEventRelativeTo(this).getPosition();
        if (onMenu) onMenu(rows_.rows()[static_cast<std::size_t>(row)], {at.x, at.y, 1, 1});
        return;
    }
    if (!event.mods.isShiftDown() && !event.mods.isCommandDown()) goTo(row);
}

void EventTable::goTo(int row) {
    if (row < 0 || row >= rows_.count() || !onGoTo) return;
    // A copy, because going there may update the list.
    const auto event = rows_.rows()[static_cast<std::size_t>(row)];
    onGoTo(event);
}

void EventTable::paint(juce::Graphics& graphics) {
    if (!list_->isVisible()) {
        graphics.setColour(Theme::of(*this).secondary);
        graphics.setFont(Theme::font(12.0f));
        graphics.drawText("Events", getLocalBounds().withTrimmedLeft(size::margin).withHeight(headerHeight),
                          juce::Justification::centredLeft, false);
        return;
    }
    if (rows_.count() > 0 || list_->getHeight() < rowHeight) return;
    graphics.setColour(Theme::of(*this).secondary);
    graphics.setFont(Theme::font(12.0f));
    const bool none = viewModel_.found().empty();
    graphics.drawText(!none ? "No events of the sounds shown."
                      : viewModel_.byConfidence()
                          ? "Events appear here when the model is confident of a sound."
                          : "Events appear here when a sound reaches its threshold.",
                      list_->getBounds().withTrimmedLeft(size::margin).withHeight(rowHeight + 4),
                      juce::Justification::centredLeft, true);
}

void EventTable::resized() {
    auto area = getLocalBounds();
    const auto header = area.removeFromTop(headerHeight);
    const auto left = edges();
    for (std::size_t i = 0; i < headers_.size(); ++i)
        headers_[i]->setBounds(left[i], header.getY() + 5, std::min(left[i + 1] - left[i] - 8, 82),
                               header.getHeight() - 10);
    // Shows whole rows only.
    const int rows = std::max(0, area.getHeight() - bottomSpace) / rowHeight;
    list_->setVisible(rows > 0);
    for (auto& button : headers_) button->setVisible(rows > 0);
    list_->setBounds(area.withHeight(rows * rowHeight).withTrimmedRight(4));
    if (following_) showNewest();
}

bool EventRows::update(std::span<const Event> events, const detection::Labels* labels,
                       const std::vector<bool>& shown, EventOrder order) {
    std::vector<Event> rows;
    rows.reserve(events.size());
    for (const Event& event : events) {
        const auto index = static_cast<std::size_t>(event.classIndex);
        if (index < shown.size() && shown[index]) rows.push_back(event);
    }
    sortBy(rows, labels, order);

    const auto limit = std::min(rows.size(), rows_.size());
    std::size_t equal = 0;
    bool differs = rows.size() != rows_.size();
    while (equal < limit && key(rows[equal]) == key(rows_[equal])) {
        differs = differs || !same(rows[equal], rows_[equal]);
        ++equal;
    }
    unchanged_ = static_cast<int>(equal);
    rows_ = std::move(rows);
    return differs || equal < limit;
}

} // namespace earshot::ui
