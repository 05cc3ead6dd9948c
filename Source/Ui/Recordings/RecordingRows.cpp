#include "Ui/Recordings/RecordingRows.h"

#include "Ui/Panels/StatusText.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/TimeAxis.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace earshot::ui {

namespace {

constexpr int lengthWidth = 70;
constexpr int stateWidth = 130;
constexpr int mostlyWidth = 120;
constexpr int leastWithMostly = 440; // pixels; a narrower list has no room for that column

// The columns of a row, or of the headings.
struct RowColumns {
    explicit RowColumns(juce::Rectangle<int> area, int right = stateWidth) {
        const bool hasMostly = area.getWidth() >= leastWithMostly;
        area = area.withTrimmedLeft(size::margin).withTrimmedRight(size::margin);
        state = area.removeFromRight(right).withTrimmedLeft(12);
        if (hasMostly && right == stateWidth) mostly = area.removeFromRight(mostlyWidth).withTrimmedLeft(12);
        length = area.removeFromRight(lengthWidth);
        name = area.withTrimmedRight(8);
    }

    juce::Rectangle<int> name, length, mostly, state;
};

juce::String lengthText(const ListedRecording& recording) {
    return recording.seconds > 0.0 ? clockText(recording.seconds, 0) : juce::String();
}

// "from 2026-10-25 02:30:00 -05:00"
juce::String startText(const WallTime& start) {
    return "from " + juce::String(dateText(start) + " " + timeText(start) +
                                  (start.offset ? " " + offsetText(*start.offset) : ""));
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
        return "heard " + juce::String(juce::roundToInt(recording.share * 100.0)) + " %";
    case ListedRecording::State::done:
        return recording.events == 1 ? juce::String("1 event") : juce::String(recording.events) + " events";
    case ListedRecording::State::failed:
        return (recording.events > 0 ? "heard in part: " : "not heard: ") + shortReason(recording);
    }
    return {};
}

RecordingRows::RecordingRows() {
    describe(*this, "Recordings");
    describe(list_, "Recordings",
             "Return opens a recording, Delete takes the selected ones from the list; no file is touched");
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
    const auto& rows = shown_.rows();
    return row >= 0 && row < static_cast<int>(rows.size()) ? &rows[static_cast<std::size_t>(row)] : nullptr;
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
    const std::set<int> ids(selected.begin(), selected.end());
    const int first = list_.getSelectedRow();
    shown_ = list;
    list_.updateContent();
    juce::SparseSet<int> rows;
    if (!ids.empty())
        for (int row = 0; row < getNumRows(); ++row)
            if (ids.contains(at(row)->id)) rows.addRange({row, row + 1});
    // After what was selected is removed, the keyboard goes on from there.
    if (!ids.empty() && rows.isEmpty() && getNumRows() > 0) {
        const int next = std::min(first, getNumRows() - 1);
        rows.addRange({next, next + 1});
    }
    list_.setSelectedRows(rows, juce::dontSendNotification);
    list_.repaint();
    repaint();
}

void RecordingRows::select(int row) { list_.selectRow(row); }

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
int RecordingRows::getNumRows() { return static_cast<int>(shown_.rows().size()); }

void RecordingRows::paintListBoxItem(int row, juce::Graphics& graphics, int width, int height,
                                     bool selected) {
    guarded(*this, [&] {
        if (const auto* recording = at(row)) paintRow(*recording, graphics, {width, height}, selected);
    });
}

juce::String RecordingRows::getNameForRow(int row) {
    juce::String name;
    guarded(*this, [&] {
        if (const auto* recording = at(row))
            name = recording->name + ", " +
                   (recording->start ? startText(*recording->start) + ", " : juce::String()) +
                   (recording->seconds > 0.0 ? lengthText(*recording) + ", " : juce::String()) +
                   (recording->mostly.isNotEmpty() ? "mostly " + recording->mostly + ", " : juce::String()) +
                   stateText(*recording);
    });
    return name;
}

juce::String RecordingRows::getTooltipForRow(int row) {
    const auto* recording = at(row);
    if (recording == nullptr) return {};
    return recording->why.isEmpty() && recording->start ? startText(*recording->start) : recording->why;
}

void RecordingRows::listBoxItemClicked(int row, const juce::MouseEvent& event) {
    if (event.mods.isShiftDown() || event.mods.isCommandDown() || event.mods.isPopupMenu()) return;
    guarded(*this, [&] { open(row); });
}

void RecordingRows::returnKeyPressed(int row) {
    guarded(*this, [&] { open(row); });
}

void RecordingRows::deleteKeyPressed(int) {
    guarded(*this, [&] {
        if (const auto ids = selectedIds(); !ids.empty() && onRemove) onRemove(ids);
    });
}

void RecordingRows::selectedRowsChanged(int) {
    guarded(*this, [&] {
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
    graphics.setFont(Theme::font(12.0f));
    const bool failed = recording.state == ListedRecording::State::failed;
    // A reason needs more room than a number: all that the name leaves, or half.
    const int inner = area.getWidth() - 2 * size::margin;
    const int name =
        8 + juce::roundToInt(std::ceil(Theme::textWidth(graphics.getCurrentFont(), recording.name)));
    const RowColumns columns(area, failed ? std::max(inner / 2, inner - name - lengthWidth) : stateWidth);
    const bool waits = recording.state == ListedRecording::State::waiting;
    graphics.setColour(failed ? palette.trouble : waits ? palette.secondary : palette.text);
    graphics.drawText(stateText(recording), columns.state, juce::Justification::centredLeft, true);
    // Without an event it is a guess.
    graphics.setColour(recording.events > 0 ? palette.text : palette.secondary);
    graphics.drawText(recording.mostly, columns.mostly, juce::Justification::centredLeft, true);
    graphics.setColour(palette.text);
    Theme::drawNumber(graphics, lengthText(recording), columns.length.toFloat(),
                      juce::Justification::centredRight);
    graphics.drawText(recording.name, columns.name, juce::Justification::centredLeft, true);
}

void RecordingRows::paintHeadings(juce::Graphics& graphics) const {
    graphics.setColour(Theme::of(*this).secondary);
    graphics.setFont(Theme::font(11.0f));
    const RowColumns columns(getLocalBounds().withHeight(headingHeight));
    graphics.drawText("Recording", columns.name, juce::Justification::centredLeft, true);
    graphics.drawText("Length", columns.length, juce::Justification::centredRight, true);
    graphics.drawText("Mostly", columns.mostly, juce::Justification::centredLeft, true);
    graphics.drawText("Heard", columns.state, juce::Justification::centredLeft, true);
}

void RecordingRows::paint(juce::Graphics& graphics) {
    if (!shown_.rows().empty()) return paintHeadings(graphics);
    graphics.setColour(Theme::of(*this).secondary);
    graphics.setFont(Theme::font(12.0f));
    graphics.drawText("Drop recordings, or a folder of them, onto the window.",
                      getLocalBounds().withTrimmedLeft(size::margin).withHeight(rowHeight),
                      juce::Justification::centredLeft, true);
}

void RecordingRows::resized() { list_.setBounds(getLocalBounds().withTrimmedTop(headingHeight)); }

} // namespace earshot::ui
