// The menu of presets: it shows which one is active, and whether something was changed since. Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/Panels/Widgets.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace earshot::ui {

class PresetButton : public MenuButton {
  public:
    PresetButton(Controller& controller, const HistoryViewModel& viewModel);
    ~PresetButton() override;

    // Call it when the view state or the labels changed. Rules are followed by themselves.
    void refresh();
    juce::PopupMenu menu();

    void clicked() override;

  private:
    const detection::Labels* labels() const { return viewModel_.history().labels.get(); }
    void addPresets(juce::PopupMenu& menu, const std::vector<Preset>& presets);
    void addOwnEntries(juce::PopupMenu& menu, const Preset& active);
    void askToSave();
    void askToRename(const std::string& old);
    void ask(const juce::String& title, const juce::String& how, const juce::String& name,
             std::function<juce::String(PresetButton&, const juce::String&)> take);
    juce::String save(const juce::String& name);                            // returns why not
    juce::String rename(const std::string& from, const juce::String& name); // the same
    void saveChanges(const std::string& name);
    void remove(const std::string& name);
    void activate(const std::string& name);

    Controller& controller_;
    const HistoryViewModel& viewModel_;
    std::vector<std::unique_ptr<juce::ParameterAttachment>> attachments_;
};

} // namespace earshot::ui
