// The mouse on views that are drawn off screen, as JUCE reports it. Positions are the component's own.
#pragma once

#include <juce_gui_basics/juce_gui_basics.h>

namespace earshot::test {

// downAt: where the button went down, if it was moved since then.
inline juce::MouseEvent mouseEvent(juce::Component& component, juce::Point<int> at, juce::ModifierKeys keys,
                                   juce::Point<int> downAt, int clicks = 1) {
    const auto now = juce::Time::getCurrentTime();
    return {juce::Desktop::getInstance().getMainMouseSource(),
            at.toFloat(),
            keys,
            0.0f,
            0.0f,
            0.0f,
            0.0f,
            0.0f,
            &component,
            &component,
            now,
            downAt.toFloat(),
            now,
            clicks,
            at != downAt};
}

inline juce::ModifierKeys leftButton(juce::ModifierKeys keys = {}) {
    return keys.withFlags(juce::ModifierKeys::leftButtonModifier);
}

inline void drag(juce::Component& component, juce::Point<int> from, juce::Point<int> to,
                 juce::ModifierKeys keys = {}) {
    component.mouseMove(mouseEvent(component, from, keys, from));
    component.mouseDown(mouseEvent(component, from, leftButton(keys), from));
    component.mouseDrag(mouseEvent(component, to, leftButton(keys), from));
    component.mouseUp(mouseEvent(component, to, leftButton(keys), from));
}

inline void click(juce::Component& component, juce::Point<int> at) {
    component.mouseMove(mouseEvent(component, at, {}, at));
    component.mouseDown(mouseEvent(component, at, leftButton(), at));
    component.mouseUp(mouseEvent(component, at, leftButton(), at));
}

inline void doubleClick(juce::Component& component, juce::Point<int> at) {
    click(component, at);
    click(component, at);
    component.mouseDoubleClick(mouseEvent(component, at, leftButton(), at, 2));
}

} // namespace earshot::test
