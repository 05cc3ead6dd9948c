// The app's listed recordings, a row each: its name, when it began, its length, what mostly sounds in it, and
// how far it is heard. They can be ordered by each of these. Message thread.
#pragma once

#include "Ui/Control/RecordingControl.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/Widgets.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace earshot::ui {

// "40 % analysed", "3 events", "not analysed: no sound in it"
juce::String stateText(const ListedRecording& recording);

enum class RecordingColumn { recording, start, length, mostly, state };

struct RecordingOrder {
    RecordingColumn column = RecordingColumn::recording; // as they were listed
    bool descending = false;

    bool operator==(const RecordingOrder&) const = default;
};

// The places of the recordings in this order. What is not known of a recording (its start, its length, what
// mostly sounds) puts it last either way. Starts are compared in UTC if the offset of all that are known is
// known, else as the clocks show them. Pure.
std::vector<int> placesInOrder(const std::vector<ListedRecording>& recordings, RecordingOrder order);

// "2026-10-25 02:30:00", and "-05:00" behind it if the offset from UTC is known and wanted
juce::String startText(const WallTime& start, bool offset = true);

class RecordingRows : public juce::Component, private juce::ListBoxModel {
  public:
    static constexpr int rowHeight = 20;
    static constexpr int headingHeight = 20;

    RecordingRows();
    ~RecordingRows() override;

    void show(const RecordingList& list); // What was selected stays so.
    void select(int row);
    void showOpen(const juce::File& recording); // marks its row
    void setOrder(RecordingOrder order);
    // The recording that was selected last, else the first.
    std::optional<ListedRecording> current() const;

    std::function<void(const ListedRecording&)> onOpen;
    std::function<void(const std::vector<int>& ids)> onRemove;
    std::function<void()> onSelection;

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    struct Columns;

    int getNumRows() override;
    void paintListBoxItem(int row, juce::Graphics& graphics, int width, int height, bool selected) override;
    juce::String getNameForRow(int row) override;
    juce::String getTooltipForRow(int row) override; // why it was not heard, or when it began
    void listBoxItemClicked(int row, const juce::MouseEvent& event) override;
    void returnKeyPressed(int row) override;
    void deleteKeyPressed(int row) override;
    void selectedRowsChanged(int row) override;

    const ListedRecording* at(int row) const; // null: there is none
    Columns columns() const;
    void refresh(const std::set<int>& selected);
    void paintRow(const ListedRecording& recording, juce::Graphics& graphics, juce::Rectangle<int> area,
                  bool selected) const;
    void placeHeadings();
    void open(int row);
    std::vector<int> selectedIds() const;

    RecordingList shown_;
    juce::File open_; // the recording that is shown in the timeline
    RecordingOrder order_;
    std::vector<int> places_; // of the rows in shown_.rows()
    std::array<std::unique_ptr<ColumnHeader>, 5> headings_;
    NonThrowing<FocusRing<juce::ListBox>> list_;
};

} // namespace earshot::ui
