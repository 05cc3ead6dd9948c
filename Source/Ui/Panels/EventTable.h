// The events as a list: a row each, drawn only where it is seen, so that a hundred thousand are no burden.
// Clicking one goes there. Message thread.
#pragma once

#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Labels.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Watcher.h"

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace earshot::ui {

// The rows of the event list: which events are listed, in which order, and what stays selected when more are
// heard. Pure: one thread at a time.
enum class EventColumn { time, sound, length, peak };

struct EventOrder {
    EventColumn column = EventColumn::time;
    bool descending = false;

    bool operator==(const EventOrder&) const = default;
};

class EventRows {
  public:
    // labels: for the order by name; `shown` (classes). True when rows changed in any way.
    bool update(std::span<const detection::Event> events, const detection::Labels* labels,
                const std::vector<bool>& shown, EventOrder order);

    std::span<const detection::Event> rows() const { return rows_; }
    int count() const { return static_cast<int>(rows_.size()); }
    // The first so many rows are the same events as before the last update.
    int unchanged() const { return unchanged_; }

    // An event stays the same one while its class and onset do.
    using Key = std::pair<int, double>;
    static Key key(const detection::Event& event) { return {event.classIndex, event.onset}; }

  private:
    std::vector<detection::Event> rows_;
    int unchanged_ = 0;
};

class EventTable : public juce::Component, private juce::ListBoxModel {
  public:
    static constexpr int headerHeight = 32;
    static constexpr int rowHeight = 20;
    static constexpr int bottomSpace = 6; // below the last row

    explicit EventTable(Watcher& watcher);
    ~EventTable() override;

    // Lists the watcher's events of these classes again; what is selected stays so.
    void update(const std::vector<bool>& shown);
    // Logical pixels at the right of the header that something else lies over.
    void setHeaderTaken(int width);
    // While following, the newest event is kept in sight (in the order of time).
    void setFollowing(bool following);
    void setOrder(EventOrder order);
    EventOrder order() const { return order_; }

    int listed() const { return rows_.count(); }
    const EventRows& rows() const { return rows_; }
    void select(const juce::SparseSet<int>& rows);
    // The selected ones where there are two or more, else all that are listed; as they are ordered here.
    std::vector<detection::Event> chosen() const;
    std::vector<detection::Event> selected() const;
    int selectedCount() const;

    std::function<void(const detection::Event&)> onGoTo;
    std::function<void()> onCopy;
    std::function<void(const detection::Event&)> onMenu; // the context menu of a row
    std::function<void()> onSelection;

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    class List;
    class HeaderButton;

    int getNumRows() override { return rows_.count(); }
    void paintListBoxItem(int row, juce::Graphics& graphics, int width, int height, bool selected) override;
    juce::String getNameForRow(int row) override;
    void listBoxItemClicked(int row, const juce::MouseEvent& event) override;
    void returnKeyPressed(int row) override;
    void selectedRowsChanged(int lastRow) override;

    void paintRow(int row, juce::Graphics& graphics, juce::Rectangle<int> bounds, bool selected);
    juce::String rowName(int row) const;
    void click(int row, const juce::MouseEvent& event);
    std::array<int, 5> edges() const; // of the columns
    juce::StringArray cells(const detection::Event& event) const;
    void goTo(int row);
    void showNewest();

    Watcher& watcher_;
    EventRows rows_;
    std::vector<bool> shown_;
    EventOrder order_;
    bool following_ = true;
    int headerTaken_ = 0;
    std::array<std::unique_ptr<HeaderButton>, 4> headers_;
    std::unique_ptr<List> list_;
};

} // namespace earshot::ui
