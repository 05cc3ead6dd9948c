#include "Ui/Timeline/LaneMenu.h"

#include "Ui/Safe.h"
#include "Ui/Theme.h"

#include <cmath>

namespace earshot::ui {

namespace {

void toggle(std::set<std::string>& names, const std::string& name) {
    if (names.erase(name) == 0) names.insert(name);
}

void showThreshold(juce::Component& owner, Controller& controller, const Watcher& watcher, int classIndex,
                   juce::Rectangle<int> place) {
    const auto name = watcher.label(classIndex).toStdString();
    auto panel = std::make_unique<Safe<ThresholdPanel>>(controller.view(), name,
                                                        watcher.eventSettings().ruleFor(classIndex).on);
    auto* top = owner.getTopLevelComponent();
    juce::CallOutBox::launchAsynchronously(std::move(panel), top->getLocalArea(&owner, place), top);
}

} // namespace

void togglePinned(ViewState& view, const std::string& name) {
    view.edit([&](ViewSettings& settings) { toggle(settings.pinned, name); });
}

void toggleSolo(ViewState& view, const std::string& name) {
    view.edit([&](ViewSettings& settings) { toggle(settings.solo, name); });
}

void toggleHidden(ViewState& view, const std::string& name) {
    view.edit([&](ViewSettings& settings) { toggle(settings.hidden, name); });
}

void showAll(ViewState& view) {
    view.edit([](ViewSettings& settings) {
        settings.hidden.clear();
        settings.solo.clear();
    });
}

void showLaneMenu(juce::Component& owner, Controller& controller, const Watcher& watcher, int classIndex,
                  juce::Rectangle<int> place) {
    const auto& settings = controller.view().get();
    const auto label = watcher.label(classIndex);
    const auto name = label.toStdString();
    juce::PopupMenu menu;
    menu.setLookAndFeel(&owner.getLookAndFeel());
    const auto add = [&](const juce::String& text, const char* key, bool ticked,
                         std::function<void()> action) {
        juce::PopupMenu::Item item(text);
        item.shortcutKeyDescription = key;
        item.isTicked = ticked;
        item.action = [action = std::move(action)] { guarded(action); };
        menu.addItem(std::move(item));
    };
    if (label.isNotEmpty()) {
        auto& view = controller.view();
        add("Pin", "P", settings.pinned.contains(name), [&view, name] { togglePinned(view, name); });
        add("Solo", "S", settings.solo.contains(name), [&view, name] { toggleSolo(view, name); });
        add("Hide", "H", settings.hidden.contains(name), [&view, name] { toggleHidden(view, name); });
        menu.addSeparator();
        add("Threshold for this sound...", "", settings.classThresholds.contains(name),
            [safe = juce::Component::SafePointer<juce::Component>(&owner), &controller, &watcher, classIndex,
             place] {
                if (safe != nullptr) showThreshold(*safe, controller, watcher, classIndex, place);
            });
        menu.addSeparator();
    }
    juce::PopupMenu::Item all("Show all sounds");
    all.isEnabled = !settings.hidden.empty() || !settings.solo.empty();
    all.action = [&view = controller.view()] { guarded([&] { showAll(view); }); };
    menu.addItem(std::move(all));
    menu.showMenuAsync(
        juce::PopupMenu::Options().withTargetComponent(owner).withMousePosition().withParentComponent(
            owner.getTopLevelComponent()));
}

ThresholdPanel::ThresholdPanel(ViewState& view, std::string name, float initial)
    : view_(view)
    , name_(std::move(name))
    , common_(initial) {
    slider.setSliderStyle(juce::Slider::LinearHorizontal);
    slider.setTextBoxStyle(juce::Slider::TextBoxRight, false, 44, 20);
    slider.setRange(0.0, 1.0, 0.01);
    slider.setNumDecimalPlacesToDisplay(2);
    slider.setValue(static_cast<double>(initial), juce::dontSendNotification);
    slider.setTitle("Threshold for " + juce::String::fromUTF8(name_.c_str()));
    slider.onValueChange = [this] {
        guarded(*this, [this] {
            view_.edit([&](ViewSettings& settings) {
                settings.classThresholds[name_] = static_cast<float>(slider.getValue());
            });
            reset.setEnabled(true);
        });
    };
    reset.setEnabled(view_.get().classThresholds.contains(name_));
    reset.onClick = [this] {
        view_.edit([&](ViewSettings& settings) { settings.classThresholds.erase(name_); });
        slider.setValue(static_cast<double>(common_), juce::dontSendNotification);
        reset.setEnabled(false);
    };
    addAndMakeVisible(slider);
    addAndMakeVisible(reset);
    setSize(260, 104);
}

void ThresholdPanel::resized() {
    auto area = getLocalBounds().reduced(12, 8);
    area.removeFromTop(24);
    slider.setBounds(area.removeFromTop(28));
    area.removeFromTop(6);
    reset.setBounds(area.removeFromTop(size::control));
}

void ThresholdPanel::paint(juce::Graphics& graphics) {
    graphics.setColour(Theme::of(*this).text);
    graphics.setFont(Theme::font(12.0f, true));
    graphics.drawText("Threshold for " + juce::String::fromUTF8(name_.c_str()),
                      getLocalBounds().reduced(12, 8).removeFromTop(22), juce::Justification::centredLeft);
}

} // namespace earshot::ui
