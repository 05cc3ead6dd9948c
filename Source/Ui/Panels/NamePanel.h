// A field for a name, in a box beside what is named. Return takes the name and closes the box, or shows why
// not. Message thread.
#pragma once

#include "Ui/NonThrowing.h"
#include "Ui/Panels/Widgets.h"

#include <functional>

namespace earshot::ui {

class NamePanel : public juce::Component {
  public:
    // Returns why the name is not taken; empty: it is.
    using Take = std::function<juce::String(const juce::String& name)>;

    NamePanel(const juce::String& title, const juce::String& help, const juce::String& name, Take take);

    void resized() override;
    void paint(juce::Graphics& graphics) override;

    NonThrowing<LineField> field;
    NonThrowing<Caption> refusal{juce::String(), Caption::Role::trouble};

  private:
    void takeName();

    Take take_;
};

} // namespace earshot::ui
