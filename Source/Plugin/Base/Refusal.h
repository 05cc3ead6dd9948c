// Why something is not done, as the user reads it.
#pragma once

#include "Core/Base/Log.h"
#include "Ui/Panels/Widgets.h"

#include <string>
#include <utility>

namespace earshot::plugin {

// Messages name options of the command line last, where there are any. They mean nothing in the views.
inline std::string withoutOptions(const std::string& message) {
    return message.substr(0, message.find(", or --"));
}

// Calls `change`, which returns why it did nothing: a sentence, or an empty text. Of an exception, its cause.
template <typename Change>
juce::String whyNotDone(Change&& change, const char* where = __builtin_FUNCTION()) {
    try {
        return ui::toText(std::string(std::forward<Change>(change)()));
    } catch (...) {
        logCaught(where);
        return ui::toText(caughtCause());
    }
}

} // namespace earshot::plugin
