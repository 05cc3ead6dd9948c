// The button that names the model, and its menu: load one, one of before, or the one Earshot comes with.
// Message thread.
#pragma once

#include "Ui/Controller.h"
#include "Ui/Panels/Widgets.h"

#include <functional>

namespace earshot::ui {

class ModelButton : public juce::Button {
  public:
    explicit ModelButton(Controller& controller);

    void setModel(const juce::String& words, const juce::String& help);
    int idealWidth() const;
    juce::PopupMenu menu();

    std::function<void()> onLoad; // a file is to be chosen

    void clicked() override;
    void paintButton(juce::Graphics& graphics, bool highlighted, bool down) override;

  private:
    Controller& controller_;
    juce::String text_;
};

} // namespace earshot::ui
