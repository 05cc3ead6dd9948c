// What the views ask of the choice of the model. Message thread.
#pragma once

#include <juce_core/juce_core.h>

namespace earshot::ui {

class ModelControl {
  public:
    virtual ~ModelControl() = default;

    virtual void load(const juce::File& file) = 0;
    virtual void loadDefault() = 0;
    virtual juce::Array<juce::File> recent() const = 0;
    // Why the model that was chosen last could not be loaded, so that the former one is in use again: a
    // sentence, once; then empty.
    virtual juce::String takeRefusal() = 0;
};

} // namespace earshot::ui
