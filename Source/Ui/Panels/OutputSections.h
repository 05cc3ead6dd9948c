// The settings of what Earshot sends to other programs: MIDI notes and OSC messages. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/NoteTable.h"
#include "Ui/Panels/SettingsSection.h"

#include <functional>
#include <memory>

namespace earshot::ui {

class MidiSection : public SettingsSection {
  public:
    MidiSection(Controller& controller, HistoryViewModel& viewModel);
    ~MidiSection() override;
    void refresh();

  private:
    NonThrowing<juce::ToggleButton> on_{"Send a note while a sound is active"};
    std::unique_ptr<juce::ButtonParameterAttachment> attachment_;
    NonThrowing<juce::TextEditor> search_;
    NonThrowing<NoteTable> notes_;
    NonThrowing<juce::TextButton> reset_{"Reset all notes"};
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
    NonThrowing<juce::ToggleButton> on_{"Send events to the network"};
    NonThrowing<juce::TextEditor> host_;
    NonThrowing<juce::TextEditor> port_;
    NonThrowing<juce::TextEditor> name_; // of this instance
    NonThrowing<juce::TextButton> allow_;
    NonThrowing<juce::ToggleButton> activation_{"Also every column's probabilities"};
    Caption* problem_ = nullptr;
};

} // namespace earshot::ui
