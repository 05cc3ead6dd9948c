// The line at the top: name, model, freeze, teach, open a recording, the list of recordings, settings,
// the input's level, and the engine's state. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/InputLevel.h"
#include "Ui/Panels/StatusText.h"
#include "Ui/Panels/Widgets.h"

#include <functional>
#include <memory>

namespace earshot::ui {

// The button that names the model. Its menu loads a file, a recent model or the default one. Message thread.
class ModelButton : public MenuButton {
  public:
    explicit ModelButton(ModelControl& control)
        : MenuButton("Model")
        , control_(control) {}

    juce::PopupMenu menu();

    std::function<void()> onLoad; // Called when the user wants to choose a file.

    void clicked() override;

  private:
    ModelControl& control_;
};

class TopBar : public juce::Component, private HistoryViewModel::Listener {
  public:
    TopBar(Controller& controller, HistoryViewModel& viewModel);
    ~TopBar() override;

    void refresh();
    void toggleFreeze();
    void showEdits(bool canUndo, bool canRedo);

    std::function<void()> onLoadModel, onTeach, onOpenRecording, onRecordings, onSettings, onUndo, onRedo;

    void paint(juce::Graphics& graphics) override;
    void resized() override;

  private:
    class StatusView;

    void historyChanged(const HistoryViewModel::Changes& changes) override;
    void openRecording();
    void showLevel();

    Controller& controller_;
    HistoryViewModel& viewModel_;
    NonThrowing<ModelButton> model_;
    NonThrowing<juce::TextButton> freeze_{"Freeze"};
    NonThrowing<juce::TextButton> teach_{"Teach"};
    NonThrowing<SignButton> undo_, redo_;
    NonThrowing<SignButton> recording_;
    NonThrowing<SignButton> list_; // of recordings; in the app
    NonThrowing<SignButton> settings_;
    NonThrowing<InputLevel> level_; // of the live input
    std::unique_ptr<StatusView> status_;
    bool silent_ = false;   // so is the live input
    bool levelLive_ = true; // it is that of a live input
};

} // namespace earshot::ui
