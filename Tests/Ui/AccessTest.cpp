// What people need who use the keyboard alone, a screen reader, a small screen or a large scale, in every
// state of the window.
#include "EveryState.h"
#include "Support/Catch.h"
#include "Support/PrivateBase.h"
#include "Ui/Panels/EventPanel.h"
#include "Ui/Panels/MainLayout.h"
#include "Ui/Panels/SidePanel.h"
#include "Ui/Panels/Widgets.h"
#include "Ui/Teach/MarkBar.h"
#include "Ui/Theme.h"
#include "Ui/TimelineView.h"
#include "ViewWalk.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

namespace earshot::test {

// JUCE keeps to itself who has the keyboard, and gives it only to what is on a screen. Off screen the tests
// say it themselves: an explicit instantiation may name what is private.
juce::Component*& keyboardOwner();
std::unique_ptr<juce::AccessibilityHandler> accessibilityOf(juce::Component& component);

template <auto owner, auto handler>
struct Private {
    friend juce::Component*& keyboardOwner() { return *owner; }
    friend std::unique_ptr<juce::AccessibilityHandler> accessibilityOf(juce::Component& component) {
        return (component.*handler)();
    }
};
template struct Private<&juce::Component::currentlyFocusedComponent,
                        &juce::Component::createAccessibilityHandler>;

} // namespace earshot::test

using namespace earshot;
using juce::KeyPress;

namespace {

// A component has the keyboard, as after the Tab key.
class Keyboard {
  public:
    explicit Keyboard(juce::Component& component)
        : component_(component) {
        test::keyboardOwner() = &component;
        component.focusGained(juce::Component::focusChangedByTabKey);
    }
    ~Keyboard() {
        test::keyboardOwner() = nullptr;
        component_.focusLost(juce::Component::focusChangedByTabKey);
    }
    Keyboard(const Keyboard&) = delete;
    Keyboard& operator=(const Keyboard&) = delete;

  private:
    juce::Component& component_;
};

juce::String described(const juce::Component& component) {
    return juce::String(typeid(component).name()) + " \"" + component.getTitle() + "\"";
}

template <typename Kind>
bool isIn(const juce::Component& component) {
    return component.findParentComponentOfClass<Kind>() != nullptr;
}

// JUCE's own parts of a control, which the control stands for.
bool isPart(const juce::Component& component) {
    return isIn<juce::Slider>(component) || isIn<juce::ComboBox>(component) ||
           isIn<juce::TextEditor>(component) || isIn<juce::ScrollBar>(component) ||
           isIn<juce::Label>(component);
}

bool isControl(juce::Component& component) {
    const auto* label = dynamic_cast<juce::Label*>(&component);
    return dynamic_cast<juce::Button*>(&component) != nullptr ||
           dynamic_cast<juce::Slider*>(&component) != nullptr ||
           dynamic_cast<juce::ComboBox*>(&component) != nullptr ||
           dynamic_cast<juce::TextEditor*>(&component) != nullptr ||
           dynamic_cast<juce::ListBox*>(&component) != nullptr ||
           dynamic_cast<ui::TimelineView*>(&component) != nullptr ||
           dynamic_cast<ui::Divider*>(&component) != nullptr || (label != nullptr && label->isEditable());
}

// Whether a component and all around it are visible. What is scrolled out of view counts as seen.
bool isSeen(const juce::Component& component, const juce::Component& root) {
    for (const auto* at = &component; at != &root; at = at->getParentComponent())
        if (!at->isVisible() || at->getBounds().isEmpty()) return false;
    return true;
}

// All that can be seen, without JUCE's own parts of controls.
std::vector<juce::Component*> seen(juce::Component& root) {
    std::vector<juce::Component*> all;
    test::walk(root, [&](juce::Component& component) {
        if (isSeen(component, root) && !isPart(component)) all.push_back(&component);
    });
    return all;
}

ui::SidePanel& sidePanel(juce::Component& view) {
    ui::SidePanel* found = nullptr;
    test::walk(view, [&](juce::Component& component) {
        if (auto* panel = dynamic_cast<ui::SidePanel*>(&component)) found = panel;
    });
    REQUIRE(found != nullptr);
    return *found;
}

// Whether a panel at the side lies over a component.
bool isCovered(juce::Component& component, juce::Component& view) {
    const auto place = view.getLocalArea(&component, component.getLocalBounds());
    return std::ranges::any_of(view.getChildren(), [&](juce::Component* child) {
        return dynamic_cast<ui::SidePanel*>(child) != nullptr && !child->isParentOf(&component) &&
               child->getBounds().contains(place);
    });
}

// Whether all of a control's text is drawn. A caption that is cut has its text as a tooltip.
bool fits(juce::Component& component) {
    const auto textWidth = [](const juce::Button& button) {
        return ui::Theme::textWidth(ui::Theme::font(12.0f), button.getButtonText());
    };
    const auto width = static_cast<float>(component.getWidth());
    if (const auto* button = dynamic_cast<juce::TextButton*>(&component))
        return textWidth(*button) + 8.0f <= width; // 4 pixels at both sides
    if (const auto* button = dynamic_cast<juce::ToggleButton*>(&component))
        return textWidth(*button) + 26.0f <= width; // beside its box
    auto* caption = dynamic_cast<ui::Caption*>(&component);
    if (caption == nullptr || caption->textWidth() <= component.getWidth()) return true;
    return caption->heightFor(component.getWidth()) <= component.getHeight() ||
           caption->getTooltip() == caption->text();
}

std::vector<juce::Component*> tabStops(juce::Component& container) {
    return container.createKeyboardFocusTraverser()->getAllComponents(&container);
}

bool same(const juce::Image& a, const juce::Image& b) {
    for (int y = 0; y < a.getHeight(); ++y)
        for (int x = 0; x < a.getWidth(); ++x)
            if (a.getPixelAt(x, y) != b.getPixelAt(x, y)) return false;
    return true;
}

std::string_view anyState() {
    const auto state = GENERATE(range(0, static_cast<int>(test::everyState.size())));
    return test::everyState[static_cast<std::size_t>(state)];
}

constexpr int tall = 2600; // of a window that shows a whole panel at the side

} // namespace

TEST_CASE("the Tab key reaches every control, and stops at nothing that cannot be seen", "[unit]") {
    const auto state = anyState();
    const auto [width, height] = GENERATE(std::pair(640, 360), std::pair(1200, 720));
    CAPTURE(std::string(state), width);
    test::StateScene scene(state, ui::ThemeChoice::dark, width, height);
    int controls = 0;
    juce::StringArray missed;
    for (auto* component : seen(*scene.view)) {
        if (!isControl(*component) || !component->isEnabled()) continue;
        ++controls;
        if (component->getTitle() == "Names of sounds") continue; // the field above chooses among its rows
        auto* container = component->findKeyboardFocusContainer();
        // A panel at the side takes the keyboard when it opens.
        const bool entered =
            container == scene.view.get() || dynamic_cast<ui::SidePanel*>(container) != nullptr;
        if (isCovered(*component, *scene.view)) continue; // until the panel closes
        if (!entered || std::ranges::count(tabStops(*container), component) == 0)
            missed.add(described(*component));
    }
    for (auto* stop : tabStops(*scene.view))
        if (stop->getBounds().isEmpty()) missed.add(described(*stop) + " cannot be seen");
    INFO(missed.joinIntoString("\n").toStdString());
    REQUIRE(missed.isEmpty());
    REQUIRE(controls > 10);
}

TEST_CASE("the Tab key goes to nothing that a panel covers", "[unit]") {
    test::StateScene scene("settings", ui::ThemeChoice::dark, 1000, 720);
    const auto& panel = sidePanel(*scene.view);
    const auto goesTo = [&](const char* title) {
        auto* component = scene.find<juce::Component>(title);
        REQUIRE(component != nullptr);
        return std::ranges::count(tabStops(*scene.view), component) == 1;
    };
    REQUIRE(goesTo("Freeze")); // left of the panel
    for (const auto* stop : tabStops(*scene.view))
        REQUIRE_FALSE(panel.getBounds().contains(scene.view->getLocalArea(stop, stop->getLocalBounds())));
    REQUIRE_FALSE(goesTo("Collapse the event list"));
    REQUIRE(scene.view->keyPressed(KeyPress(KeyPress::escapeKey)));
    REQUIRE(goesTo("Collapse the event list"));
}

TEST_CASE("the Tab key leads into a view that has the keyboard itself", "[unit]") {
    test::StateScene scene("live", ui::ThemeChoice::dark, 1200, 720);
    const KeyPress tab(KeyPress::tabKey);
    {
        const Keyboard keyboard(*scene.view);
        REQUIRE(scene.view->keyPressed(tab));
    }
    const Keyboard keyboard(*scene.find<juce::Component>("Freeze"));
    REQUIRE_FALSE(scene.view->keyPressed(tab)); // JUCE goes on to the next
}

TEST_CASE("what the Tab key goes to is outlined", "[unit]") {
    const auto state = anyState();
    const auto theme = GENERATE(ui::ThemeChoice::dark, ui::ThemeChoice::light);
    CAPTURE(std::string(state), theme == ui::ThemeChoice::dark);
    test::StateScene scene(state, theme, 1200, 720);
    if (scene.hasSidePanel()) scene.view->setSize(1200, tall);
    int stops = 0;
    juce::StringArray missed;
    juce::Component* container = scene.view.get();
    if (scene.hasSidePanel()) container = &sidePanel(*scene.view);
    for (auto* stop : tabStops(*container)) {
        if (dynamic_cast<juce::Label*>(stop) != nullptr)
            continue; // becomes a text field, which has an outline
        // The bar over the picture may stand over other controls.
        if (state == "mark" && !isIn<ui::MarkBar>(*stop)) continue;
        const auto area = scene.view->getLocalArea(stop, stop->getLocalBounds()).expanded(2);
        const auto picture = [&] { return scene.view->createComponentSnapshot(area); };
        const auto before = picture();
        const Keyboard keyboard(*stop);
        ++stops;
        if (same(before, picture())) missed.add(described(*stop));
    }
    INFO(missed.joinIntoString("\n").toStdString());
    REQUIRE(missed.isEmpty());
    REQUIRE(stops >= 4);
}

TEST_CASE("a click gives the keyboard without an outline", "[unit]") {
    test::StateScene scene("live", ui::ThemeChoice::dark, 1200, 720);
    auto& timeline = *scene.find<ui::TimelineView>("Timeline");
    const auto picture = [&] { return timeline.createComponentSnapshot({0, 0, 60, 60}); };
    const auto before = picture();
    const Keyboard keyboard(timeline);
    REQUIRE_FALSE(same(before, picture()));
    timeline.focusGained(juce::Component::focusChangedByMouseClick);
    REQUIRE(same(before, picture()));
}

TEST_CASE("everything is named for screen readers", "[unit]") {
    const auto state = anyState();
    const auto [width, height] = GENERATE(std::pair(640, 360), std::pair(1200, 720), std::pair(1200, tall));
    CAPTURE(std::string(state), width, height);
    test::StateScene scene(state, ui::ThemeChoice::dark, width, height);
    int named = 0;
    juce::StringArray nameless;
    const auto look = [&](juce::Component& component) {
        if (!component.isAccessible()) return;
        const auto handler = test::accessibilityOf(component);
        const auto role = handler->getRole();
        if (role == juce::AccessibilityRole::unspecified || handler->isIgnored()) return;
        ++named;
        if (handler->getTitle().isEmpty()) nameless.add(described(component));
    };
    test::walk(*scene.view, [&](juce::Component& component) {
        if (isSeen(component, *scene.view)) look(component);
    });
    for (auto* component : seen(*scene.view))
        if (isControl(*component) && component->getTitle().isEmpty()) nameless.add(described(*component));
    INFO(nameless.joinIntoString("\n").toStdString());
    REQUIRE(nameless.isEmpty());
    REQUIRE(named > 12);
}

TEST_CASE("in the smallest window no control is cut off and no text is too long for it", "[unit]") {
    const auto state = anyState();
    CAPTURE(std::string(state));
    test::StateScene scene(state, ui::ThemeChoice::dark, ui::MainView::minWidth, ui::MainView::minHeight);
    int checked = 0;
    juce::StringArray cut;
    for (auto* component : seen(*scene.view)) {
        const auto* caption = dynamic_cast<ui::Caption*>(component);
        if (!isControl(*component) && caption == nullptr) continue;
        ++checked;
        if (!component->getParentComponent()->getLocalBounds().contains(component->getBounds()))
            cut.add(described(*component) + " reaches beyond " + described(*component->getParentComponent()));
        if (!fits(*component)) cut.add(described(*component) + " is too narrow for its text");
    }
    INFO(cut.joinIntoString("\n").toStdString());
    REQUIRE(cut.isEmpty());
    REQUIRE(checked > 10);
}

TEST_CASE("a panel scrolls to what the Tab key goes to", "[unit]") {
    test::StateScene scene("settings", ui::ThemeChoice::dark, 640, 360);
    auto& panel = sidePanel(*scene.view);
    const auto shown = panel.getLocalBounds().withTrimmedTop(ui::size::topBar);
    for (const char* title : {"Reset all notes", "Dark theme", "OSC port", "Sensitivity"}) {
        auto* control = test::find<juce::Component>(panel, title);
        REQUIRE(control != nullptr);
        const auto place = [&] { return panel.getLocalArea(control, control->getLocalBounds()); };
        INFO(title);
        REQUIRE_FALSE((juce::String(title) == "Reset all notes" && shown.contains(place())));
        test::privateBase<juce::FocusChangeListener>(panel).globalFocusChanged(control);
        REQUIRE(shown.contains(place()));
    }
    // What is elsewhere moves nothing.
    auto* control = test::find<juce::Component>(panel, "Sensitivity");
    const auto before = panel.getLocalArea(control, control->getLocalBounds());
    auto& listener = test::privateBase<juce::FocusChangeListener>(panel);
    listener.globalFocusChanged(scene.find<juce::Component>("Freeze"));
    listener.globalFocusChanged(nullptr);
    REQUIRE(panel.getLocalArea(control, control->getLocalBounds()) == before);
}

TEST_CASE("keys make the event list higher and lower", "[unit]") {
    test::StateScene scene("live", ui::ThemeChoice::dark, 1200, 720);
    auto& divider = *scene.find<ui::Divider>("Height of the event list");
    const auto& events = *scene.find<ui::EventPanel>("Events");
    const int before = events.getHeight();
    REQUIRE(divider.keyPressed(KeyPress(KeyPress::upKey)));
    REQUIRE(events.getHeight() == before + ui::Divider::keyStep);
    REQUIRE(divider.keyPressed(KeyPress(KeyPress::downKey)));
    REQUIRE(events.getHeight() == before);
    REQUIRE_FALSE(divider.keyPressed(KeyPress(KeyPress::leftKey)));
}
