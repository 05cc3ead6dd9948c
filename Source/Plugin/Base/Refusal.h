// Why something is not done, as the user reads it.
#pragma once

#include "Ui/Guarded.h"
#include "Ui/Panels/Widgets.h"

#include <string>
#include <utility>

namespace earshot::plugin {

// Calls `change`, which returns why it did nothing: a sentence, or an empty text.
template <typename Change>
juce::String whyNotDone(Change&& change) {
    juce::String problem = "There is not enough memory: close other programs and try again";
    ui::guarded([&] { problem = ui::toText(std::string(std::forward<Change>(change)())); });
    return problem;
}

} // namespace earshot::plugin
