// The MIDI note and channel of each sound, one row each, editable (message thread). Notes are written as
// musicians do: "C1" is 36, the kick of General MIDI (pure functions: any thread).
#pragma once

#include "Ui/Control/OutputControl.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/Widgets.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::ui {

std::string noteText(int note); // 0 to 127: "C1"
// Reads "C1", "c#1", "Db1" or "37"; nothing if the text is no MIDI note.
std::optional<int> parseNote(std::string_view text);
// "1" to "16"
std::optional<int> parseChannel(std::string_view text);

class NoteTable : public juce::Component, private juce::ListBoxModel {
  public:
    NoteTable(OutputControl& outputs, HistoryViewModel& viewModel);
    ~NoteTable() override;

    void setSearch(const juce::String& search);
    void refresh(); // Call it when labels or notes changed.
    int sounds() const { return static_cast<int>(classes_.size()); }

    // Takes a typed note or channel for a class. Returns false, and changes nothing, if MIDI has no such
    // value.
    bool setNote(int classIndex, const juce::String& text);
    bool setChannel(int classIndex, const juce::String& text);
    juce::String rowName(int row) const; // what a screen reader says of a row
    void reset();                        // Gives every sound its default note.

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    class Row;

    int getNumRows() override { return sounds(); }
    void paintListBoxItem(int, juce::Graphics&, int, int, bool) override {}
    juce::Component* refreshComponentForRow(int row, bool selected, juce::Component* existing) override;
    juce::String getNameForRow(int row) override;
    void returnKeyPressed(int row) override;    // edits its note
    formats::MidiKey key(int classIndex) const; // by which the map knows a class; its index without labels

    OutputControl& outputs_;
    HistoryViewModel& viewModel_;
    juce::String search_;
    std::shared_ptr<const detection::Labels> labels_;
    std::vector<int> classes_; // class indices of the listed rows
    formats::MidiMap map_;     // the outputs' map
    NonThrowing<FocusRing<juce::ListBox>> list_;
};

} // namespace earshot::ui
