// What the host, JUCE or the system calls ends here: nothing thrown may leave it, as nobody above would catch
// it. Any thread but the audio thread, which throws nothing.
#pragma once

#include <utility>

namespace earshot::ui {

// False when it threw.
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
