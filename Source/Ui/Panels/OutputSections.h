// The settings of what Earshot sends to other programs: MIDI notes and OSC messages. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/Panels/NoteTable.h"
#include "Ui/Panels/SettingsSection.h"
#include "Ui/Watcher.h"

#include <memory>

namespace earshot::ui {

class MidiSection : public SettingsSection {
  public:
    MidiSection(Controller& controller, Watcher& watcher);
    ~MidiSection() override;
    void refresh();

  private:
    juce::ToggleButton on_{"Send a note while a sound is heard"};
    std::unique_ptr<juce::ButtonParameterAttachment> attachment_;
    juce::TextEditor search_;
    NoteTable notes_;
    juce::TextButton reset_{"Reset all notes"};
};

class OscSection : public SettingsSection {
  public:
    explicit OscSection(Controller& controller);
    ~OscSection() override;
    void refresh();                                // what the controller has
    bool showProblem(const juce::String& problem); // true when it is another one

  private:
    void send();

    Controller& controller_;
    juce::ToggleButton on_{"Send events to the network"};
    juce::TextEditor host_;
    juce::TextEditor port_;
    juce::ToggleButton activation_{"Also every column's probabilities"};
    Caption* problem_ = nullptr;
};

// A text field in the colours and size of the settings.
void dressEditor(juce::TextEditor& editor, const juce::String& whenEmpty = {});

} // namespace earshot::ui
