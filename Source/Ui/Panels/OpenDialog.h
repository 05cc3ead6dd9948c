// Asks for a file to open. Message thread.
#pragma once

#include "Ui/NonThrowing.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <functional>
#include <memory>

namespace earshot::ui {

class OpenDialog {
  public:
    explicit OpenDialog(juce::Component& owner)
        : owner_(owner) {}

    // Calls `then` with the chosen file, if one is chosen while the owner exists.
    void operator()(const juce::String& title, const juce::String& pattern,
                    std::function<void(const juce::File&)> then);

  private:
    juce::Component& owner_;
    std::unique_ptr<juce::FileChooser> chooser_;
};

} // namespace earshot::ui
