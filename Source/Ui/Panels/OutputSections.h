// The settings of what Earshot sends to other programs: MIDI notes and OSC messages. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/Panels/NoteTable.h"
#include "Ui/Panels/SettingsSection.h"
#include "Ui/Safe.h"
#include "Ui/Watcher.h"

#include <functional>
#include <memory>

namespace earshot::ui {

class MidiSection : public SettingsSection {
  public:
    MidiSection(Controller& controller, Watcher& watcher);
    ~MidiSection() override;
    void refresh();

  private:
    Safe<juce::ToggleButton> on_{"Send a note while a sound is active"};
    std::unique_ptr<juce::ButtonParameterAttachment> attachment_;
    Safe<juce::TextEditor> search_;
    Safe<NoteTable> notes_;
    Safe<juce::TextButton> reset_{"Reset all notes"};
};

class OscSection : public SettingsSection {
  public:
    explicit OscSection(OutputControl& outputs);
    ~OscSection() override;
    std::function<void()> onLayout;                // called when its height changed
    void refresh();                                // reads the controller's settings
    bool showProblem(const juce::String& problem); // true when the height changed

  private:
    void send();

    OutputControl& outputs_;
    Safe<juce::ToggleButton> on_{"Send events to the network"};
    Safe<juce::TextEditor> host_;
    Safe<juce::TextEditor> port_;
    Safe<juce::TextEditor> name_; // of this instance
    Safe<juce::TextButton> allow_;
    Safe<juce::ToggleButton> activation_{"Also every column's probabilities"};
    Caption* problem_ = nullptr;
};

} // namespace earshot::ui
