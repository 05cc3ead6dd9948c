// Runs a callback of the host, JUCE or the system and stops every exception: nobody above would catch it. The
// log has its cause. Any thread except the audio thread, which throws nothing.
#pragma once

#include "Core/Base/Log.h"

#include <utility>

namespace earshot::ui {

// Returns false when the callback threw. where: for the log; the function that calls this.
template <typename Action>
bool catchAll(Action&& action, const char* where = __builtin_FUNCTION()) noexcept {
    try {
        std::forward<Action>(action)();
        return true;
    } catch (...) {
        logCaught(where);
        return false;
    }
}

} // namespace earshot::ui
