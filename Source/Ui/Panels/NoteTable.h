// Which note each sound plays: a row a sound, note and channel to be typed (message thread). Notes are as
// people write them: "C1" is 36, General MIDI's kick, as in the note map (pure functions: any thread).
#pragma once

#include "Ui/Controller.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Safe.h"
#include "Ui/Watcher.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::ui {

std::string noteText(int note); // 0 to 127: "C1"
// "C1", "c#1", "Db1" or "37"; nothing when it is none of MIDI's notes.
std::optional<int> parseNote(std::string_view text);
// "1" to "16"
std::optional<int> parseChannel(std::string_view text);

class NoteTable : public juce::Component, private juce::ListBoxModel {
  public:
    NoteTable(Controller& controller, Watcher& watcher);
    ~NoteTable() override;

    void setSearch(const juce::String& search);
    void refresh(); // labels or notes changed
    int sounds() const { return static_cast<int>(classes_.size()); }

    // A typed note or channel of a class; nothing MIDI has leaves it as it was. True when it was taken.
    bool setNote(int classIndex, const juce::String& text);
    bool setChannel(int classIndex, const juce::String& text);
    void reset(); // every sound's note as it was at first

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    class Row;

    int getNumRows() override { return sounds(); }
    void paintListBoxItem(int, juce::Graphics&, int, int, bool) override {}
    juce::Component* refreshComponentForRow(int row, bool selected, juce::Component* existing) override;
    juce::String getNameForRow(int row) override;
    juce::String rowName(int row) const;

    Controller& controller_;
    Watcher& watcher_;
    juce::String search_;
    std::shared_ptr<const detection::Labels> labels_;
    std::vector<int> classes_; // listed
    formats::MidiMap map_;     // as the controller has it
    Safe<juce::ListBox> list_;
};

} // namespace earshot::ui
