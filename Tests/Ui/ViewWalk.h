// Finding components in a tree of them, as a user finds them: by what they are called.
#pragma once

#include <juce_gui_basics/juce_gui_basics.h>

#include <functional>

namespace earshot::test {

inline void walk(juce::Component& component, const std::function<void(juce::Component&)>& visit) {
    for (auto* child : component.getChildren()) {
        visit(*child);
        walk(*child, visit);
    }
}

// The first component of this kind and title that a user can see; null when there is none.
template <typename Kind>
Kind* find(juce::Component& root, const juce::String& title) {
    Kind* found = nullptr;
    const std::function<void(juce::Component&)> look = [&](juce::Component& component) {
        for (auto* child : component.getChildren()) {
            if (found != nullptr || !child->isVisible()) continue;
            if (auto* kind = dynamic_cast<Kind*>(child); kind != nullptr && child->getTitle() == title)
                found = kind;
            else
                look(*child);
        }
    };
    look(root);
    return found;
}

} // namespace earshot::test
