// The settings, over the right part of the view: look, detection, words, the app's audio, outputs, history,
// keys, about. Escape or its button closes it. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/Panels/OutputSections.h"
#include "Ui/Panels/SettingsSection.h"
#include "Ui/Safe.h"
#include "Ui/Watcher.h"

#include <functional>
#include <memory>
#include <vector>

namespace earshot::ui {

class SettingsPanel : public juce::Component, private juce::ChangeListener {
  public:
    static constexpr int widest = 420;

    SettingsPanel(Controller& controller, Watcher& watcher);
    ~SettingsPanel() override;

    void refresh();
    void showKept();                               // shows how much history is kept now
    void showWords();                              // shows what can be typed, and what was
    void showProblem(const juce::String& problem); // of the outputs
    void focusFirst();
    std::function<void()> onClose;

    void paint(juce::Graphics& graphics) override;
    void resized() override;
    bool keyPressed(const juce::KeyPress& key) override;
    // The panel takes all clicks, so that nothing below it can be reached.
    void mouseDown(const juce::MouseEvent&) override {}

  private:
    class LookSection;
    class DetectionSection;
    class WordsSection;
    class AudioSection;
    class HistorySection;
    class AboutSection;

    void changeListenerCallback(juce::ChangeBroadcaster*) override {
        guarded(*this, [this] { refresh(); });
    }
    void add(std::unique_ptr<SettingsSection> section);

    Controller& controller_;
    Caption title_{"Settings", Caption::Role::heading};
    Safe<SignButton> close_{Sign::close, "Close the settings", "Close (Escape)", false};
    juce::Component content_;
    juce::Viewport viewport_;
    std::vector<std::unique_ptr<SettingsSection>> sections_;
    LookSection* look_ = nullptr;
    WordsSection* words_ = nullptr;
    MidiSection* midi_ = nullptr;
    OscSection* osc_ = nullptr;
    AudioSection* audio_ = nullptr;
    HistorySection* history_ = nullptr;
    AboutSection* about_ = nullptr;
};

} // namespace earshot::ui
