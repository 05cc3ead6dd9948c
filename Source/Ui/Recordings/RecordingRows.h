// The app's listed recordings, a row each: its name, its length, what mostly sounds in it, and how far it is
// heard. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Safe.h"

#include <functional>
#include <optional>
#include <vector>

namespace earshot::ui {

// "heard 40 %", "3 events", "not heard: no sound in it"
juce::String stateText(const ListedRecording& recording);

class RecordingRows : public juce::Component, private juce::ListBoxModel {
  public:
    static constexpr int rowHeight = 20;
    static constexpr int headingHeight = 18;

    RecordingRows();
    ~RecordingRows() override;

    void show(const RecordingList& list); // What was selected stays so.
    void select(int row);
    // The recording that was selected last, else the first.
    std::optional<ListedRecording> current() const;

    std::function<void(const ListedRecording&)> onOpen;
    std::function<void(const std::vector<int>& ids)> onRemove;
    std::function<void()> onSelection;

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    int getNumRows() override;
    void paintListBoxItem(int row, juce::Graphics& graphics, int width, int height, bool selected) override;
    juce::String getNameForRow(int row) override;
    juce::String getTooltipForRow(int row) override; // why it was not heard, or when it began
    void listBoxItemClicked(int row, const juce::MouseEvent& event) override;
    void returnKeyPressed(int row) override;
    void deleteKeyPressed(int row) override;
    void selectedRowsChanged(int row) override;

    const ListedRecording* at(int row) const; // null: there is none
    void paintRow(const ListedRecording& recording, juce::Graphics& graphics, juce::Rectangle<int> area,
                  bool selected) const;
    void paintHeadings(juce::Graphics& graphics) const;
    void open(int row);
    std::vector<int> selectedIds() const;

    RecordingList shown_;
    Safe<FocusRing<juce::ListBox>> list_;
};

} // namespace earshot::ui
