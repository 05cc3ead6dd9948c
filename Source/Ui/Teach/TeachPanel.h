// What was taught, over the right part of the view: the sounds with their examples, learning from them, and
// the collection that they are kept in. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/Panels/SidePanel.h"

#include <functional>
#include <vector>

namespace earshot::ui {

// "6 examples, 2 of what it is not · 12.4 s · 3 recordings · not trained yet"
juce::String examplesText(const TaughtSound& sound);

// One taught sound, with a menu. The owner keeps it up to date with show().
class SoundSection : public SettingsSection {
  public:
    SoundSection(Controller& controller, const TaughtSound& sound);

    const juce::String& name() const { return name_; }
    bool show(const TaughtSound& sound); // returns whether a text changed
    juce::PopupMenu menu();              // rename, forget

    std::function<void()> onLayout; // Called when its height changed.

    void resized() override;
    bool keyPressed(const juce::KeyPress& key) override;

  private:
    void startRename();
    void endRename();
    void refuse(const juce::String& why);
    bool showOthers(const juce::StringArray& others);
    bool hidesOthers() const;
    void hideOrShowOthers();

    TeachingControl& control_;
    ViewState& viewState_;
    juce::String name_;
    juce::StringArray others_; // TaughtSound::alsoDetected
    NonThrowing<SignButton> more_;
    NonThrowing<LineField> field_;
    Caption* examples_ = nullptr;
    Caption* reliability_ = nullptr;
    Caption* detected_ = nullptr; // as others_
    NonThrowing<juce::TextButton> hide_;
    Caption* refusal_ = nullptr;
};

class TeachPanel : public SidePanel, private juce::ChangeListener {
  public:
    TeachPanel(Controller& controller, HistoryViewModel& viewModel);
    ~TeachPanel() override;

  private:
    class IntroSection;
    class LearnSection;
    class CollectionSection;

    void historyChanged(const HistoryViewModel::Changes& changes) override;
    void changeListenerCallback(juce::ChangeBroadcaster*) override {
        catchAll(*this, [this] { refresh(); }); // sounds are hidden or shown again
    }

    void refresh();
    bool showSounds(const std::vector<TaughtSound>& sounds); // returns whether something changed

    Controller& controller_;
    HistoryViewModel& viewModel_;
    IntroSection* intro_ = nullptr;
    LearnSection* learn_ = nullptr;
    std::vector<SoundSection*> sounds_; // by name, as the view model has them
    CollectionSection* collection_ = nullptr;
};

} // namespace earshot::ui
