// One line across the view that shows what happened and what to do. Message thread.
#pragma once

#include "Ui/NonThrowing.h"
#include "Ui/Panels/StatusText.h"
#include "Ui/Panels/Widgets.h"

#include <functional>

namespace earshot::ui {

class NoticeBar : public juce::Component, private juce::Timer {
  public:
    static constexpr int height = 34;

    NoticeBar();
    ~NoticeBar() override;

    // What the user can do about a notice, as a button.
    struct Action {
        juce::String name; // empty: nothing
        std::function<void()> act;
    };

    // Shows passing news (a file that cannot be dropped, a failed export). Trouble stays until the user
    // closes it, other news for a while.
    void say(const juce::String& text, Tone tone, const Action& action = {});
    // Shows how far work is, while there is no news. An empty text ends it.
    void setWork(const juce::String& text, const Action& action = {});
    // Shows a lasting state (a model that failed to load). After the user closes it, it returns only with a
    // different text. An empty text ends it.
    void setStanding(const juce::String& text, Tone tone);

    bool isShown() const { return text_.isNotEmpty(); }
    const juce::String& text() const { return text_; }
    std::function<void()> onChange; // Called when the bar appears or disappears.

    void paint(juce::Graphics& graphics) override;
    void resized() override;
    std::unique_ptr<juce::AccessibilityHandler> createAccessibilityHandler() override;

  private:
    struct News {
        juce::String text;
        Tone tone = Tone::idle;
        Action action = {};
    };

    void timerCallback() override;
    void tick();
    void close();
    void show();
    void showAction(const Action& action);

    News passing_;
    News work_;
    News standing_;
    juce::String closed_; // the lasting text that the user closed
    juce::String text_;
    Tone tone_ = Tone::idle;
    NonThrowing<juce::TextButton> action_;
    std::function<void()> act_; // what the button does
    NonThrowing<SignButton> close_{Sign::close, "Close the message", "Close", false};
};

juce::Colour colourOf(Tone tone, const Palette& palette);

} // namespace earshot::ui
