// A component whose callbacks let no exception reach JUCE and the host: `Safe<TopBar> topBar;` is a TopBar.
// The notice bar of the view shows the error once. Message thread.
#pragma once

#include "Ui/CatchAll.h"

#include <juce_gui_basics/juce_gui_basics.h>

#include <type_traits>
#include <utility>

namespace earshot::ui {

// In a catch block: logs the exception and shows its cause in the view around the component, if there is one.
void tellTrouble(juce::Component& where) noexcept;

// Like catchAll(), for the callbacks of a component.
template <typename Action>
bool catchAll(juce::Component& where, Action&& action) noexcept {
    try {
        std::forward<Action>(action)();
        return true;
    } catch (...) {
        tellTrouble(where);
        return false;
    }
}

// A key that clicks a button arrives as a command message. JUCE keeps those of other components to itself.
template <typename View, bool isButton = std::is_base_of_v<juce::Button, View>>
class SafeClicks : public View {
  public:
    using View::View;
};

template <typename View>
class SafeClicks<View, true> : public View {
  public:
    using View::View;

    void handleCommandMessage(int command) override {
        catchAll(*this, [&] { View::handleCommandMessage(command); });
    }
};

template <typename View>
class NonThrowing final : public SafeClicks<View> {
  public:
    using SafeClicks<View>::SafeClicks;

    void paint(juce::Graphics& graphics) override {
        run([&] { View::paint(graphics); });
    }
    void paintOverChildren(juce::Graphics& graphics) override {
        run([&] { View::paintOverChildren(graphics); });
    }
    void resized() override {
        run([&] { View::resized(); });
    }
    void lookAndFeelChanged() override {
        run([&] { View::lookAndFeelChanged(); });
    }
    void enablementChanged() override {
        run([&] { View::enablementChanged(); });
    }
    void visibilityChanged() override {
        run([&] { View::visibilityChanged(); });
    }
    void mouseMove(const juce::MouseEvent& event) override {
        run([&] { View::mouseMove(event); });
    }
    void mouseEnter(const juce::MouseEvent& event) override {
        run([&] { View::mouseEnter(event); });
    }
    void mouseExit(const juce::MouseEvent& event) override {
        run([&] { View::mouseExit(event); });
    }
    void mouseDown(const juce::MouseEvent& event) override {
        run([&] { View::mouseDown(event); });
    }
    void mouseDrag(const juce::MouseEvent& event) override {
        run([&] { View::mouseDrag(event); });
    }
    void mouseUp(const juce::MouseEvent& event) override {
        run([&] { View::mouseUp(event); });
    }
    void mouseDoubleClick(const juce::MouseEvent& event) override {
        run([&] { View::mouseDoubleClick(event); });
    }
    void mouseWheelMove(const juce::MouseEvent& event, const juce::MouseWheelDetails& wheel) override {
        run([&] { View::mouseWheelMove(event, wheel); });
    }
    void mouseMagnify(const juce::MouseEvent& event, float factor) override {
        run([&] { View::mouseMagnify(event, factor); });
    }
    bool keyPressed(const juce::KeyPress& key) override {
        bool taken = false;
        run([&] { taken = View::keyPressed(key); });
        return taken;
    }
    void focusGained(juce::Component::FocusChangeType cause) override {
        run([&] { View::focusGained(cause); });
    }
    void focusLost(juce::Component::FocusChangeType cause) override {
        run([&] { View::focusLost(cause); });
    }

  private:
    template <typename Action>
    void run(Action&& action) noexcept {
        catchAll(*this, std::forward<Action>(action));
    }
};

} // namespace earshot::ui
