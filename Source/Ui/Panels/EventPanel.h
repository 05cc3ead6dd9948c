// The bottom of the view: the event list, its export and its folding. Message thread.
#pragma once

#include "Core/Formats/EventFormats.h"
#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/EventTable.h"
#include "Ui/Panels/ExportButtons.h"
#include "Ui/Panels/StatusText.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Review.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace earshot::ui {

class EventPanel : public juce::Component, private HistoryViewModel::Listener {
  public:
    static constexpr int foldedHeight = EventTable::headerHeight + EventTable::bottomSpace;
    static constexpr int heightFor(int rows) { return foldedHeight + rows * EventTable::rowHeight; }

    EventPanel(Controller& controller, HistoryViewModel& viewModel);
    ~EventPanel() override;

    // Call it when other classes are listed: the view state or the search changed.
    void setSearch(const juce::String& search);
    void updateShown();
    void setFolded(bool folded);

    EventTable& table() { return table_; }
    int allEvents() const; // all events, listed or not
    // What Export writes now.
    std::string exported(const formats::EventFormat& format) const;
    // The selected events, or all listed ones, as a table with tabs.
    std::string copied() const;
    // Asks for a file, then writes.
    void exportEvents(const formats::EventFormat& format);
    void save(juce::File file, const formats::EventFormat& format);
    // The events that Export writes now, to be cut out of the open recording.
    ClipRequest clipRequest() const { return clipRequest(table_.chosen()); }
    void askCut();   // how they are cut, in a box
    void askTable(); // asks where, then writes one of all recordings
    void writeTable(juce::File file);
    // A drag of these events begins: their audio, or their notes as MIDI. Returns whether it can.
    bool beginDrag(const std::vector<detection::Event>& events, bool midi);
    juce::StringArray draggedFiles(); // once the drag leaves the window; none: the notice says why
    void showExportMenu() { exports_.showMenu(); }
    void nextUnreviewed();
    std::string reviewed() const;                        // the listed events with their judgements, as CSV
    void exportReview();                                 // asks for a file, then writes that
    juce::PopupMenu menu(const detection::Event& event); // of the event's row

    std::function<void(const detection::Event&)> onGoTo;
    std::function<void(const detection::Event&)> onPlay; // or stop
    std::function<void(const detection::Event&)> onName; // marks the event, to be named
    std::function<void(const juce::String&, Tone)> onNotice;
    std::function<void(const juce::String&, Tone, const juce::File&)> onWrote; // a file
    std::function<void()> onFold;
    std::function<void()> onCount; // Called when the list changed.

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    void historyChanged(const HistoryViewModel::Changes& changes) override;
    formats::MidiMap notes() const;
    bool heardWhole() const;
    std::vector<formats::TimedEvent> timed(std::span<const detection::Event> events) const;
    formats::RecordingEvents recording(std::span<const detection::Event> events) const;
    std::optional<WallTime> liveStart() const;
    void showChannelOf(const detection::Event& event);
    void copy() const;
    juce::String partNote() const;
    bool withExtension(juce::File& file, const std::string& extension) const;
    void judge(const detection::Event& event, bool right);
    void teachFrom(const detection::Event& event, bool right);
    void addReviewEntries(juce::PopupMenu& menu, const detection::Event& event);
    void showProgress();
    void ask(const juce::String& title, const juce::String& name, const juce::String& pattern,
             std::function<void(const juce::File&)> then);
    void saveText(juce::File file, const std::string& extension, const std::string& document);
    ClipRequest clipRequest(const std::vector<detection::Event>& events) const;
    juce::File notesToDrag(const std::vector<detection::Event>& events) const;
    void drag();

    Controller& controller_;
    HistoryViewModel& viewModel_;
    juce::String search_;
    NonThrowing<EventTable> table_;
    NonThrowing<ExportButtons> exports_;
    NonThrowing<juce::TextButton> progress_; // of the review
    NonThrowing<SignButton> fold_;
    Review review_;
    bool folded_ = false;
    bool hasProgress_ = false; // the review's is shown, where it has room
    std::unique_ptr<juce::FileChooser> chooser_;
    juce::File draggedNotes_;                         // the MIDI file of the drag; none: clips are dragged
    ClipFormat clipFormat_ = ClipFormat::asRecording; // as the user chose them last
    double clipHandles_ = 0.0;                        // seconds
};

} // namespace earshot::ui
