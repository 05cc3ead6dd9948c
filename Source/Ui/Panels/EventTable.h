// The events as a list, one row each. It draws only visible rows, so that a hundred thousand events cost no
// more than ten. A click on a row goes to its event. Message thread.
#pragma once

#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Labels.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Review.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace earshot::ui {

// The rows of the event list: which events are listed, in which order, and which stay selected when new
// events arrive. Pure: one thread at a time.
enum class EventColumn { time, sound, length, peak };

struct EventOrder {
    EventColumn column = EventColumn::time;
    bool descending = false;

    bool operator==(const EventOrder&) const = default;
};

class EventRows {
  public:
    // labels: needed for the order by name; shown (classes): which are listed. Returns true when the rows
    // changed.
    bool update(std::span<const detection::Event> events, const detection::Labels* labels,
                const std::vector<bool>& shown, EventOrder order);

    std::span<const detection::Event> rows() const { return rows_; }
    int count() const { return static_cast<int>(rows_.size()); }
    // How many rows at the start hold the same events as before the last update.
    int unchanged() const { return unchanged_; }

    // Two events are the same if class, onset and channel are equal.
    using Key = std::tuple<int, double, int>;
    static Key key(const detection::Event& event) { return {event.classIndex, event.onset, event.channel}; }

  private:
    std::vector<detection::Event> rows_;
    int unchanged_ = 0;
};

class EventTable : public juce::Component, private juce::ListBoxModel {
  public:
    static constexpr int headerHeight = 32;
    static constexpr int rowHeight = 20;
    static constexpr int bottomSpace = 6; // below the last row

    explicit EventTable(HistoryViewModel& viewModel);
    ~EventTable() override;

    // Lists the view model's events of these classes again. The selection stays.
    void update(const std::vector<bool>& shown);
    // Logical pixels at the right of the header that another component covers.
    void setHeaderTaken(int width);
    // While following, the list keeps the newest event in sight (when ordered by time).
    void setFollowing(bool following);
    // Lights the rows of the events that sound at this time, in seconds.
    void setPlaying(std::optional<double> seconds);
    void setOrder(EventOrder order);
    EventOrder order() const { return order_; }

    int listed() const { return rows_.count(); }
    const EventRows& rows() const { return rows_; }
    void select(const juce::SparseSet<int>& rows);
    // The selected events if two or more are selected, else all listed ones, in the list's order.
    std::vector<detection::Event> chosen() const;
    std::vector<detection::Event> selected() const;
    std::vector<detection::Event> eventsOf(const juce::SparseSet<int>& rows) const;
    int selectedCount() const;

    std::function<void(const detection::Event&)> onGoTo;
    std::function<void()> onCopy;
    // The context menu of a row, beside `place` of the table.
    std::function<void(const detection::Event&, juce::Rectangle<int> place)> onMenu;
    std::function<void()> onSelection;
    // Keys on the last selected event: Space plays it, M marks it, R and W judge it right or wrong, and
    // Shift + F10 opens its menu.
    std::function<void(const detection::Event&)> onPlay;
    std::function<void(const detection::Event&)> onMark;
    std::function<void(const detection::Event&, bool right)> onVerdict;
    std::function<void()> onNext; // N: the next event that was not judged
    std::function<Verdict(const detection::Event&)> verdictOf;
    // Selects a row alone and shows its event.
    void show(int row);
    int lastSelected() const; // row; -1: none
    // Called when a drag of rows begins. Returns whether there is something to drag.
    std::function<bool(const std::vector<detection::Event>&)> onDrag;

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    class List;

    int getNumRows() override { return rows_.count(); }
    void paintListBoxItem(int row, juce::Graphics& graphics, int width, int height, bool selected) override;
    juce::String getNameForRow(int row) override;
    void listBoxItemClicked(int row, const juce::MouseEvent& event) override;
    void returnKeyPressed(int row) override;
    void selectedRowsChanged(int lastRow) override;
    juce::var getDragSourceDescription(const juce::SparseSet<int>& rows) override;

    void paintRow(int row, juce::Graphics& graphics, juce::Rectangle<int> bounds, bool selected);
    void paintReview(juce::Graphics& graphics, juce::Rectangle<int> area, bool right) const;
    juce::String rowName(int row) const;
    void click(int row, const juce::MouseEvent& event);
    std::array<int, 5> edges() const; // x of the columns' edges
    juce::StringArray cells(const detection::Event& event) const;
    const char* nameOfCertainty() const; // the title of the last column
    void goTo(int row);
    bool press(const juce::KeyPress& key); // returns whether it is a key of the list's
    void showNewest();
    void showOrder();

    HistoryViewModel& viewModel_;
    EventRows rows_;
    std::vector<bool> shown_;
    EventOrder order_;
    bool following_ = true;
    std::optional<double> playing_; // seconds
    int headerTaken_ = 0;
    std::array<std::unique_ptr<ColumnHeader>, 4> headers_;
    std::unique_ptr<List> list_;
};

} // namespace earshot::ui
