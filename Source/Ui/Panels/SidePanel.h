// A panel over the right part of the view: a title, and sections that scroll. Escape or its button closes it,
// and it hears of what changes while it is open. Message thread.
#pragma once

#include "Ui/HistoryViewModel.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/SettingsSection.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace earshot::ui {

class SidePanel : public juce::Component,
                  private juce::FocusChangeListener,
                  private HistoryViewModel::Listener {
  public:
    static constexpr int widest = 420;

    // close: what its button does, "Close the settings".
    SidePanel(HistoryViewModel& viewModel, const juce::String& title, const juce::String& close);
    ~SidePanel() override;

    void focusFirst();
    std::function<void()> onClose;

    void paint(juce::Graphics& graphics) override;
    void resized() override;
    bool keyPressed(const juce::KeyPress& key) override;
    // The panel takes all clicks, so that nothing below it can be reached.
    void mouseDown(const juce::MouseEvent&) override {}

  protected:
    // Call resized() when sections or their texts have changed.
    void add(std::unique_ptr<SettingsSection> section); // at the end
    void insert(std::size_t place, std::unique_ptr<SettingsSection> section);
    void remove(const SettingsSection& section);
    // Fills the panel with one component in place of sections. The caller keeps it.
    void fill(juce::Component& body);

  private:
    void globalFocusChanged(juce::Component* focused) override;
    void scrollTo(juce::Rectangle<int> area); // of the content
    void placeSections();

    HistoryViewModel& viewModel_;
    Caption title_;
    NonThrowing<SignButton> close_;
    juce::Component content_;
    FocusRing<juce::Viewport> viewport_;
    juce::Component* body_ = nullptr; // in place of sections
    std::vector<std::unique_ptr<SettingsSection>> sections_;
};

} // namespace earshot::ui
