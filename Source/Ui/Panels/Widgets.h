// Small parts that the panels share: buttons with a drawn sign, numbers bound to a parameter, surfaces.
// Message thread.
#pragma once

#include "Ui/Theme.h"

#include <juce_audio_processors/juce_audio_processors.h>

#include <functional>
#include <memory>
#include <optional>

namespace earshot::ui {

// Draws the rounded surface of a panel.
void drawPanel(juce::Graphics& graphics, const juce::Component& component, juce::Rectangle<float> area);

// Text from outside as JUCE's. Bytes that are not UTF-8 are replaced by readable characters.
juce::String toText(const std::string& utf8);

// Sets a child's accessible name and help, which JUCE keeps apart.
void describe(juce::Component& component, const juce::String& title, const juce::String& help = {});
template <typename Client>
void describeWithTooltip(Client& component, const juce::String& title, const juce::String& help) {
    describe(component, title, help);
    component.setTooltip(help);
}

// Gives a component the keyboard if it is on the screen. JUCE asserts that it is.
void takeKeyboard(juce::Component& component);

// Shows a menu in the look of `target`, below it or below a part of it (in its own coordinates).
void showMenu(juce::PopupMenu menu, juce::Component& target,
              std::optional<juce::Rectangle<int>> place = std::nullopt);

// Shows a panel in a box beside `place` (in the owner's coordinates). The keys go on in the owner afterwards.
void showBeside(juce::Component& owner, std::unique_ptr<juce::Component> panel, juce::Rectangle<int> place);

// Names the bars of a list or panel for screen readers: "Scroll the events".
void nameScrollBars(juce::Viewport& viewport, const juce::String& what);

// Outlines a view that has the keyboard, unless a click gave it: then the user knows.
template <typename View>
class FocusRing : public View {
  public:
    using View::View;

    void focusGained(juce::Component::FocusChangeType cause) override {
        View::focusGained(cause);
        ring_ = cause != juce::Component::focusChangedByMouseClick;
        this->repaint();
    }
    void focusLost(juce::Component::FocusChangeType cause) override {
        View::focusLost(cause);
        ring_ = false;
        this->repaint();
    }
    void paintOverChildren(juce::Graphics& graphics) override {
        View::paintOverChildren(graphics);
        if (ring_) Theme::drawFocus(graphics, *this, this->getLocalBounds());
    }

  private:
    bool ring_ = false;
};

enum class Sign { folder, list, gear, close, up, down, play, stop, more, undo, redo };

class SignButton : public juce::Button {
  public:
    // framed: drawn like the other buttons; otherwise only the sign is drawn.
    SignButton(Sign sign, const juce::String& title, const juce::String& help, bool framed = true);
    void setSign(Sign sign);

    void paintButton(juce::Graphics& graphics, bool highlighted, bool down) override;

  private:
    Sign sign_;
    bool framed_;
};

// A button that shows what is chosen, and opens a menu of the choices.
class MenuButton : public juce::Button {
  public:
    explicit MenuButton(const juce::String& title);
    void setText(const juce::String& text, const juce::String& title, const juce::String& help);
    int idealWidth() const; // logical pixels

    void paintButton(juce::Graphics& graphics, bool highlighted, bool down) override;

  private:
    juce::String text_;
};

// A caption that opens a menu.
class MenuCaption : public juce::Button {
  public:
    explicit MenuCaption(const juce::String& text)
        : juce::Button(text) {
        setButtonText(text);
    }
    void paintButton(juce::Graphics& graphics, bool highlighted, bool down) override;
};

// The title of a table's column. A click orders the table by it, and an arrow shows how it is ordered.
class ColumnHeader : public juce::Button {
  public:
    enum class Order { none, rising, falling };

    explicit ColumnHeader(const juce::String& name);
    void rename(const juce::String& name);
    void show(Order order);

    void paintButton(juce::Graphics& graphics, bool highlighted, bool down) override;

  private:
    Order order_ = Order::none;
};

// A parameter as a slider with its value, or (`compact`) as a number to drag or type.
class ParameterSlider : public juce::Slider {
  public:
    enum class Look { slider, compact };
    // unit: "s", "%", empty, or "+" for numbers with a sign; decimals: digits after the point.
    ParameterSlider(juce::AudioProcessorValueTreeState& parameters, const char* id, Look look,
                    const juce::String& title, const juce::String& help, const juce::String& unit,
                    int decimals);
    ~ParameterSlider() override;

    void paint(juce::Graphics& graphics) override;
    void lookAndFeelChanged() override;
    void enablementChanged() override;

  private:
    void dressText();

    bool compact_;
    std::unique_ptr<juce::SliderParameterAttachment> attachment_;
};

// The choices of a parameter, as a drop-down list.
class ParameterBox : public juce::ComboBox {
  public:
    ParameterBox(juce::AudioProcessorValueTreeState& parameters, const char* id, const juce::String& title,
                 const juce::String& help);
    ~ParameterBox() override;

  private:
    std::unique_ptr<juce::ComboBoxParameterAttachment> attachment_;
};

// Gives a text field the theme's colours and size.
void dressEditor(juce::TextEditor& editor, const juce::String& whenEmpty = {});

// A text field of one line. A Return key that its owner takes goes no further, while Escape and other Returns
// reach those around it.
class LineField : public juce::TextEditor {
  public:
    LineField() { setEscapeAndReturnKeysConsumed(false); }

    std::function<bool()> onReturn;                   // returns whether it takes the key
    std::function<bool(const juce::KeyPress&)> onKey; // the same, for every key

    bool keyPressed(const juce::KeyPress& key) override {
        if (onKey && onKey(key)) return true;
        if (key == juce::KeyPress(juce::KeyPress::returnKey) && onReturn && onReturn()) return true;
        return juce::TextEditor::keyPressed(key);
    }
};

// How far something is, as a bar with words at its right.
class ShareBar : public juce::Component {
  public:
    ShareBar() { setInterceptsMouseClicks(false, false); }
    // title: what it is that goes on, "Analysed"; share: 0 to 1; words: "42 %"
    void show(const juce::String& title, double share, const juce::String& words);

    void paint(juce::Graphics& graphics) override;
    std::unique_ptr<juce::AccessibilityHandler> createAccessibilityHandler() override;

  private:
    juce::String words_;
    float share_ = 0.0f;
};

// Plain text in one colour of the theme: a Label without editing.
class Caption : public juce::Component, public juce::SettableTooltipClient {
  public:
    enum class Role { secondary, text, heading, trouble };
    explicit Caption(const juce::String& text = {}, Role role = Role::secondary);
    void setText(const juce::String& text);
    const juce::String& text() const { return text_; }
    void setJustification(juce::Justification justification);
    int textWidth() const; // logical pixels, rounded up
    int heightFor(int width) const;

    void paint(juce::Graphics& graphics) override;
    std::unique_ptr<juce::AccessibilityHandler> createAccessibilityHandler() override;

  private:
    juce::Font font() const;

    juce::String text_;
    Role role_;
    juce::Justification justification_ = juce::Justification::centredLeft;
};

} // namespace earshot::ui
