// One line across the view that says what happened and what to do. Message thread.
#pragma once

#include "Ui/Panels/StatusText.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Safe.h"

#include <functional>

namespace earshot::ui {

class NoticeBar : public juce::Component, private juce::Timer {
  public:
    static constexpr int height = 34;

    NoticeBar();
    ~NoticeBar() override;

    // Passing news (a file that cannot be dropped, an export that failed): until closed, or a while when it
    // is no trouble.
    void say(const juce::String& text, Tone tone);
    // What holds as long as it lasts (a failed model): closed, it comes back only with another text. Empty:
    // it is over.
    void setStanding(const juce::String& text, Tone tone);

    bool isShown() const { return text_.isNotEmpty(); }
    const juce::String& text() const { return text_; }
    std::function<void()> onChange; // shown or hidden

    void paint(juce::Graphics& graphics) override;
    void resized() override;
    std::unique_ptr<juce::AccessibilityHandler> createAccessibilityHandler() override;

  private:
    struct News {
        juce::String text;
        Tone tone = Tone::idle;
    };

    void timerCallback() override;
    void tick();
    void close();
    void show();

    News passing_;
    News standing_;
    juce::String closed_; // the standing text that was closed
    juce::String text_;
    Tone tone_ = Tone::idle;
    Safe<SignButton> close_{Sign::close, "Close the message", "Close", false};
};

juce::Colour colourOf(Tone tone, const Palette& palette);

} // namespace earshot::ui
