// The bottom of the window: the event list, the ways out of it, and its folding. Exporting, copying and
// dragging happen here. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/Panels/EventTable.h"
#include "Ui/Panels/ExportButtons.h"
#include "Ui/Panels/StatusText.h"
#include "Ui/Safe.h"
#include "Ui/Watcher.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace earshot::ui {

class EventPanel : public juce::Component, private Watcher::Listener {
  public:
    static constexpr int foldedHeight = EventTable::headerHeight + EventTable::bottomSpace;
    static constexpr int heightFor(int rows) { return foldedHeight + rows * EventTable::rowHeight; }

    EventPanel(Controller& controller, Watcher& watcher);
    ~EventPanel() override;

    // Which classes are listed has changed: view state or search.
    void setSearch(const juce::String& search);
    void updateShown();
    void setFolded(bool folded);

    EventTable& table() { return table_; }
    int allEvents() const; // listed or not
    // What Export writes, as it is now.
    std::string exported(const formats::EventFormat& format) const;
    std::string copied() const; // the selected ones, or all that are listed
    // Asks where to, then writes.
    void exportEvents(const formats::EventFormat& format);
    void save(juce::File file, const formats::EventFormat& format);
    void showExportMenu() { exports_.showMenu(); }

    std::function<void(const detection::Event&)> onGoTo;
    std::function<void(const juce::String&, Tone)> onNotice;
    std::function<void()> onFold;
    std::function<void()> onCount; // the list became another

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    void heardMore(const Watcher::Changes& changes) override;
    std::vector<formats::TimedEvent> timed(std::span<const detection::Event> events) const;
    void copy() const;
    void drag();
    void showMenu(const detection::Event& event);

    Controller& controller_;
    Watcher& watcher_;
    juce::String search_;
    Safe<EventTable> table_;
    Safe<ExportButtons> exports_;
    Safe<SignButton> fold_;
    bool folded_ = false;
    std::unique_ptr<juce::FileChooser> chooser_;
};

} // namespace earshot::ui
