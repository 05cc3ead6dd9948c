// The settings, over the right part of the view: look, detection, advanced, words, the app's audio, outputs,
// history. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/OutputSections.h"
#include "Ui/Panels/SidePanel.h"

#include <memory>

namespace earshot::ui {

class SettingsPanel : public SidePanel, private juce::ChangeListener {
  public:
    SettingsPanel(Controller& controller, HistoryViewModel& viewModel);
    ~SettingsPanel() override;

    void lookAndFeelChanged() override { refresh(); } // sections take their colours then

  private:
    class LookSection;
    class DetectionSection;
    class AdvancedSection;
    class WordsSection;
    class AudioSection;
    class HistorySection;

    void refresh();
    void historyChanged(const HistoryViewModel::Changes& changes) override;
    void changeListenerCallback(juce::ChangeBroadcaster*) override {
        catchAll(*this, [this] { refresh(); });
    }

    Controller& controller_;
    LookSection* look_ = nullptr;
    DetectionSection* detection_ = nullptr;
    WordsSection* words_ = nullptr;
    MidiSection* midi_ = nullptr;
    OscSection* osc_ = nullptr;
    AudioSection* audio_ = nullptr;
    HistorySection* history_ = nullptr;
};

} // namespace earshot::ui
