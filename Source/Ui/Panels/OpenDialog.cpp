#include "Ui/Panels/OpenDialog.h"

#include <utility>

namespace earshot::ui {

void OpenDialog::operator()(const juce::String& title, const juce::String& pattern,
                            std::function<void(const juce::File&)> then) {
    chooser_ = std::make_unique<juce::FileChooser>(title, juce::File(), pattern);
    const juce::Component::SafePointer<juce::Component> self(&owner_);
    chooser_->launchAsync(juce::FileBrowserComponent::openMode | juce::FileBrowserComponent::canSelectFiles,
                          [self, then = std::move(then)](const juce::FileChooser& result) {
                              const auto file = result.getResult();
                              if (self != nullptr && file != juce::File())
                                  catchAll(*self, [&] { then(file); });
                          });
}

} // namespace earshot::ui
