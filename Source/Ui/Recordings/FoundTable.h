// The events of all listed recordings in one table, which can be ordered and searched. It draws only visible
// rows. Message thread.
#pragma once

#include "Ui/Control/RecordingControl.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/Widgets.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace earshot::ui {

enum class FoundColumn { recording, onset, offset, sound, certainty };

struct FoundOrder {
    FoundColumn column = FoundColumn::recording;
    bool descending = false;

    bool operator==(const FoundOrder&) const = default;
};

struct FoundRow {
    int recording = 0; // its place in RecordingList::rows()
    int event = 0;     // its place in ListedEvents::events
};

// The events whose sound, group of sounds or recording's name holds each word of the search, in upper or
// lower case. Equal ones are ordered by recording and onset. Pure.
std::vector<FoundRow> foundRows(const RecordingList& list, const juce::String& search, FoundOrder order);

// An event of the table, with the recording that it is in.
struct FoundEvent {
    juce::File file;
    std::string sound;
    double onset = 0.0, offset = 0.0; // seconds
    int channel = 0;                  // of the recording, from 1; 0: the mix
};

class FoundTable : public juce::Component, private juce::ListBoxModel {
  public:
    static constexpr int headerHeight = 24;
    static constexpr int rowHeight = 20;

    FoundTable();
    ~FoundTable() override;

    void show(const RecordingList& list); // The selected event stays so.
    void setSearch(const juce::String& search);
    void setOrder(FoundOrder order);
    void select(int row);
    const std::vector<FoundRow>& rows() const { return rows_; }
    // "12 of 300 events", and how many there are that the table has no room for
    juce::String countText() const;

    std::function<void(const FoundEvent&)> onGoTo;
    std::function<void(const FoundEvent&)> onPlay; // or stop
    std::function<void()> onCount;                 // Called when other events are listed.

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    class List;

    int getNumRows() override { return static_cast<int>(rows_.size()); }
    void paintListBoxItem(int row, juce::Graphics& graphics, int width, int height, bool selected) override;
    juce::String getNameForRow(int row) override;
    void listBoxItemClicked(int row, const juce::MouseEvent& event) override;
    void returnKeyPressed(int row) override;

    void refresh();
    void showOrder();
    bool has(int row) const { return row >= 0 && row < static_cast<int>(rows_.size()); }
    const ListedEvent& event(int row) const;
    juce::StringArray cells(int row) const;
    juce::String soundText(const ListedEvent& event) const;
    std::array<int, 6> edges() const; // x of the columns' edges
    void paintRow(int row, juce::Graphics& graphics, int height, int width, bool selected) const;
    void notify(const std::function<void(const FoundEvent&)>& whom, int row) const;

    RecordingList shown_;
    juce::String search_;
    FoundOrder order_;
    std::vector<FoundRow> rows_;
    std::array<std::unique_ptr<ColumnHeader>, 5> headers_;
    std::unique_ptr<List> list_;
};

} // namespace earshot::ui
