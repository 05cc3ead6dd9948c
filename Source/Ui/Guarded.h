// Runs a callback of the host, JUCE or the system and stops every exception: nobody above would catch it. Any
// thread except the audio thread, which throws nothing.
#pragma once

#include <utility>

namespace earshot::ui {

// Returns false when the callback threw.
template <typename Action>
bool guarded(Action&& action) noexcept {
    try {
        std::forward<Action>(action)();
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace earshot::ui
