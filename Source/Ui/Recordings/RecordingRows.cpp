#include "Ui/Recordings/RecordingRows.h"

#include "Ui/Panels/StatusText.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/TimeAxis.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>

namespace earshot::ui {

namespace {

constexpr int lengthWidth = 56;
constexpr int stateWidth = 82;
constexpr int mostlyWidth = 94;
constexpr int startWidth = 144;
constexpr int offsetWidth = 46; // of a start's offset from UTC
constexpr int minName = 100;    // pixels; what leaves less to the names has no room
constexpr std::array<const char*, 5> headingTexts{"Recording", "Start", "Length", "Mostly", "Result"};

juce::String lengthText(const ListedRecording& recording) {
    return recording.seconds > 0.0 ? clockText(recording.seconds, 0) : juce::String();
}

bool knowsStart(const ListedRecording& recording) { return recording.start.has_value(); }

bool knowsOffset(const ListedRecording& recording) {
    return recording.start && recording.start->offset.has_value();
}

// Sorts what `known` accepts by `key`, ahead of the rest.
template <typename Known, typename Key>
void sortBy(std::vector<int>& places, bool descending, Known&& known, Key&& key) {
    // Clang 14 cannot compile std::ranges::stable_partition with this standard library.
    const auto rest = std::stable_partition(places.begin(), places.end(), known);
    std::stable_sort(places.begin(), rest,
                     [&](int a, int b) { return descending ? key(b) < key(a) : key(a) < key(b); });
}

// The row begins with the name.
juce::String shortReason(const ListedRecording& recording) {
    return toText(withoutPath(recording.why.toStdString(), recording.file.getFileName().toStdString()));
}

} // namespace

juce::String stateText(const ListedRecording& recording) {
    switch (recording.state) {
    case ListedRecording::State::waiting:
        return "waits";
    case ListedRecording::State::hearing:
        return juce::String(juce::roundToInt(recording.share * 100.0)) + " %";
    case ListedRecording::State::done:
        return recording.events == 1 ? juce::String("1 event") : juce::String(recording.events) + " events";
    case ListedRecording::State::failed:
        return (recording.events > 0 ? "analysed in part: " : "not analysed: ") + shortReason(recording);
    }
    return {};
}

juce::String startText(const WallTime& start, bool offset) {
    return juce::String(dateText(start) + " " + timeText(start) +
                        (offset && start.offset ? " " + offsetText(*start.offset) : ""));
}

std::vector<int> placesInOrder(const std::vector<ListedRecording>& recordings, RecordingOrder order) {
    std::vector<int> places(recordings.size());
    std::iota(places.begin(), places.end(), 0);
    const auto of = [&](int place) -> const ListedRecording& {
        return recordings[static_cast<std::size_t>(place)];
    };
    const auto sort = [&](auto&& known, auto&& key) {
        sortBy(
            places, order.descending, [&](int place) { return known(of(place)); },
            [&](int place) { return key(of(place)); });
    };
    const auto all = [](const ListedRecording&) { return true; };
    switch (order.column) {
    case RecordingColumn::recording:
        if (order.descending) std::ranges::reverse(places);
        break;
    case RecordingColumn::start: {
        const bool inUtc = std::ranges::none_of(
            recordings, [](const auto& each) { return knowsStart(each) && !knowsOffset(each); });
        sort(knowsStart, [inUtc](const ListedRecording& recording) {
            constexpr std::int64_t second = 1000; // milliseconds
            return recording.start->milliseconds -
                   (inUtc ? second * recording.start->offset.value_or(0) : std::int64_t{0});
        });
        break;
    }
    case RecordingColumn::length:
        sort([](const ListedRecording& recording) { return recording.seconds > 0.0; },
             [](const ListedRecording& recording) { return recording.seconds; });
        break;
    case RecordingColumn::mostly:
        sort([](const ListedRecording& recording) { return recording.mostly.isNotEmpty(); },
             [](const ListedRecording& recording) { return recording.mostly.toLowerCase(); });
        break;
    case RecordingColumn::state:
        sort(all,
             [](const ListedRecording& recording) { return std::pair(recording.state, recording.events); });
        break;
    }
    return places;
}

// Where a row and the headings have their columns; an empty one has no room.
struct RecordingRows::Columns {
    Columns(juce::Rectangle<int> area, bool anyStart, bool anyOffset) {
        area = area.withTrimmedLeft(size::margin).withTrimmedRight(size::margin);
        int room = area.getWidth() - stateWidth - lengthWidth - minName;
        const auto takes = [&room](bool wanted, int width) {
            const bool fits = wanted && room >= width;
            room -= fits ? width : 0;
            return fits;
        };
        const bool hasStart = takes(anyStart, startWidth), hasMostly = takes(true, mostlyWidth);
        offset = hasStart && takes(anyOffset, offsetWidth);
        state = area.removeFromRight(stateWidth);
        if (hasMostly) mostly = area.removeFromRight(mostlyWidth);
        length = area.removeFromRight(lengthWidth);
        if (hasStart) start = area.removeFromRight(startWidth + (offset ? offsetWidth : 0));
        name = area;
    }

    std::array<juce::Rectangle<int>, 5> all() const { return {name, start, length, mostly, state}; }

    juce::Rectangle<int> name, start, length, mostly, state;
    bool offset = false; // starts have their offset from UTC behind them
};

RecordingRows::RecordingRows() {
    for (std::size_t i = 0; i < headings_.size(); ++i) {
        headings_[i] = std::make_unique<NonThrowing<ColumnHeader>>(headingTexts[i]);
        const auto help = "Order the recordings by " + juce::String(headingTexts[i]).toLowerCase();
        describeWithTooltip(*headings_[i], help, help);
        headings_[i]->onClick = [this, column = static_cast<RecordingColumn>(i)] {
            setOrder({column, order_.column == column && !order_.descending});
        };
        addAndMakeVisible(*headings_[i]);
    }
    describe(*this, "Recordings");
    describe(
        list_, "Recordings",
        "Return opens a recording, Delete removes the selected ones from the list; files are never touched");
    nameScrollBars(*list_.getViewport(), "the recordings");
    list_.setModel(this);
    list_.setRowHeight(rowHeight);
    list_.setMultipleSelectionEnabled(true);
    list_.setColour(juce::ListBox::backgroundColourId, juce::Colours::transparentBlack);
    list_.setOutlineThickness(0);
    addAndMakeVisible(list_);
}

RecordingRows::~RecordingRows() { list_.setModel(nullptr); }

const ListedRecording* RecordingRows::at(int row) const {
    if (row < 0 || row >= static_cast<int>(places_.size())) return nullptr;
    return &shown_.rows()[static_cast<std::size_t>(places_[static_cast<std::size_t>(row)])];
}

std::vector<int> RecordingRows::selectedIds() const {
    std::vector<int> ids;
    const auto selected = list_.getSelectedRows();
    for (int i = 0; i < selected.size(); ++i)
        if (const auto* recording = at(selected[i])) ids.push_back(recording->id);
    return ids;
}

void RecordingRows::show(const RecordingList& list) {
    if (list.recordings == shown_.recordings) return;
    const auto selected = selectedIds();
    const int first = list_.getSelectedRow();
    shown_ = list;
    refresh({selected.begin(), selected.end()});
    // After what was selected is removed, the keyboard goes on from there.
    if (selected.empty() || list_.getNumSelectedRows() > 0 || getNumRows() == 0) return;
    juce::SparseSet<int> rows;
    const int next = std::min(first, getNumRows() - 1);
    rows.addRange({next, next + 1});
    list_.setSelectedRows(rows, juce::dontSendNotification);
}

void RecordingRows::setOrder(RecordingOrder order) {
    if (order == std::exchange(order_, order)) return;
    const auto selected = selectedIds();
    refresh({selected.begin(), selected.end()});
}

// Orders the rows, and selects those of the recordings with these numbers.
void RecordingRows::refresh(const std::set<int>& ids) {
    places_ = placesInOrder(shown_.rows(), order_);
    placeHeadings();
    list_.updateContent();
    juce::SparseSet<int> rows;
    if (!ids.empty())
        for (int row = 0; row < getNumRows(); ++row)
            if (ids.contains(at(row)->id)) rows.addRange({row, row + 1});
    list_.setSelectedRows(rows, juce::dontSendNotification);
    list_.repaint();
    repaint();
}

void RecordingRows::select(int row) { list_.selectRow(row); }

void RecordingRows::showOpen(const juce::File& recording) {
    if (std::exchange(open_, recording) != recording) list_.repaint();
}

std::optional<ListedRecording> RecordingRows::current() const {
    const auto* recording = at(list_.getLastRowSelected());
    if (recording == nullptr) recording = at(0);
    return recording != nullptr ? std::optional(*recording) : std::nullopt;
}

void RecordingRows::open(int row) {
    if (at(row) == nullptr || !onOpen) return;
    const ListedRecording recording = *at(row); // a copy, because opening it may update the list
    onOpen(recording);
}

// JUCE's list calls these functions.
int RecordingRows::getNumRows() { return static_cast<int>(places_.size()); }

void RecordingRows::paintListBoxItem(int row, juce::Graphics& graphics, int width, int height,
                                     bool selected) {
    catchAll(*this, [&] {
        if (const auto* recording = at(row)) paintRow(*recording, graphics, {width, height}, selected);
    });
}

juce::String RecordingRows::getNameForRow(int row) {
    juce::String name;
    catchAll(*this, [&] {
        if (const auto* recording = at(row))
            name = recording->name + ", " +
                   (recording->start ? "from " + startText(*recording->start) + ", " : juce::String()) +
                   (recording->seconds > 0.0 ? lengthText(*recording) + ", " : juce::String()) +
                   (recording->mostly.isNotEmpty() ? "mostly " + recording->mostly + ", " : juce::String()) +
                   stateText(*recording) + (recording->file == open_ ? ", open" : "");
    });
    return name;
}

juce::String RecordingRows::getTooltipForRow(int row) {
    const auto* recording = at(row);
    if (recording == nullptr) return {};
    return recording->why.isEmpty() && recording->start ? "from " + startText(*recording->start)
                                                        : recording->why;
}

void RecordingRows::listBoxItemClicked(int row, const juce::MouseEvent& event) {
    if (event.mods.isShiftDown() || event.mods.isCommandDown() || event.mods.isPopupMenu()) return;
    catchAll(*this, [&] { open(row); });
}

void RecordingRows::returnKeyPressed(int row) {
    catchAll(*this, [&] { open(row); });
}

void RecordingRows::deleteKeyPressed(int) {
    catchAll(*this, [&] {
        if (const auto ids = selectedIds(); !ids.empty() && onRemove) onRemove(ids);
    });
}

void RecordingRows::selectedRowsChanged(int) {
    catchAll(*this, [&] {
        if (onSelection) onSelection();
    });
}

void RecordingRows::paintRow(const ListedRecording& recording, juce::Graphics& graphics,
                             juce::Rectangle<int> area, bool selected) const {
    const auto& palette = Theme::of(*this);
    if (selected) {
        graphics.setColour(palette.raised);
        graphics.fillRoundedRectangle(area.toFloat().reduced(6.0f, 0.0f), size::corner - 2.0f);
    }
    const bool open = recording.file == open_;
    if (open) {
        graphics.setColour(palette.accent);
        graphics.fillRoundedRectangle(
            area.toFloat().withWidth(3.0f).withX(size::margin - 8.0f).reduced(0.0f, 3.0f), 1.5f);
    }
    graphics.setFont(Theme::font(12.0f));
    const bool failed = recording.state == ListedRecording::State::failed;
    auto places = columns();
    for (auto* place : {&places.name, &places.start, &places.length, &places.mostly, &places.state})
        *place = place->withHeight(area.getHeight()).withTrimmedRight(8);
    // A reason has the room of all columns but the name and the length, or half of the row.
    if (failed) {
        const auto name =
            juce::roundToInt(std::ceil(Theme::textWidth(graphics.getCurrentFont(), recording.name)));
        const auto row = places.name.getUnion(places.state);
        places.name = row.withWidth(std::min(name + 8, row.getWidth() / 2 - lengthWidth));
        places.length = row.withLeft(places.name.getRight()).withWidth(lengthWidth - 8);
        places.state = row.withLeft(places.name.getRight() + lengthWidth);
    }
    const bool waits = recording.state == ListedRecording::State::waiting;
    const auto left = juce::Justification::centredLeft;
    graphics.setColour(failed ? palette.trouble : waits ? palette.secondary : palette.text);
    graphics.drawText(stateText(recording), places.state, left, true);
    // Without an event it is a guess.
    graphics.setColour(recording.events > 0 ? palette.text : palette.secondary);
    if (!failed) graphics.drawText(recording.mostly, places.mostly, left, true);
    graphics.setColour(palette.text);
    if (!failed && recording.start)
        Theme::drawNumber(graphics, startText(*recording.start, places.offset), places.start.toFloat(), left);
    Theme::drawNumber(graphics, lengthText(recording), places.length.toFloat(), left);
    graphics.setFont(Theme::font(12.0f, open));
    graphics.drawText(recording.name, places.name, left, true);
}

RecordingRows::Columns RecordingRows::columns() const {
    const auto& rows = shown_.rows();
    return {getLocalBounds(), std::ranges::any_of(rows, knowsStart), std::ranges::any_of(rows, knowsOffset)};
}

void RecordingRows::placeHeadings() {
    using Order = ColumnHeader::Order;
    const auto places = columns().all();
    for (std::size_t i = 0; i < headings_.size(); ++i) {
        const bool ordered = static_cast<RecordingColumn>(i) == order_.column;
        headings_[i]->show(!ordered ? Order::none : order_.descending ? Order::falling : Order::rising);
        headings_[i]->setVisible(!shown_.rows().empty() && !places[i].isEmpty());
        headings_[i]->setBounds(places[i].withHeight(headingHeight - 2).withTrimmedRight(8));
    }
}

void RecordingRows::paint(juce::Graphics& graphics) {
    if (!shown_.rows().empty()) return;
    graphics.setColour(Theme::of(*this).secondary);
    graphics.setFont(Theme::font(12.0f));
    graphics.drawText("Drop recordings, or a folder of them, onto the window.",
                      getLocalBounds().withTrimmedLeft(size::margin).withHeight(rowHeight),
                      juce::Justification::centredLeft, true);
}

void RecordingRows::resized() {
    placeHeadings();
    list_.setBounds(getLocalBounds().withTrimmedTop(headingHeight));
}

} // namespace earshot::ui
