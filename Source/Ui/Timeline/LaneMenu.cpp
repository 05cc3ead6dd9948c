#include "Ui/Timeline/LaneMenu.h"

#include "Ui/NonThrowing.h"
#include "Ui/Theme.h"
#include "Ui/WordLanes.h"

#include <cmath>

namespace earshot::ui {

namespace {

void toggle(std::set<std::string>& names, const std::string& name) {
    if (names.erase(name) == 0) names.insert(name);
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

void showThreshold(juce::Component& owner, Controller& controller, const HistoryViewModel& viewModel,
                   int classIndex, juce::Rectangle<int> place) {
    const auto name = viewModel.label(classIndex).toStdString();
    auto panel = std::make_unique<NonThrowing<ThresholdPanel>>(
        controller.view(), name, commonThreshold(controller, viewModel, classIndex));
    showBeside(owner, std::move(panel), place);
}

void showRename(juce::Component& owner, Controller& controller, const Word& word,
                juce::Rectangle<int> place) {
    showBeside(owner, std::make_unique<NonThrowing<RenamePanel>>(controller, word), place);
}

void addEntry(juce::PopupMenu& menu, const juce::String& text, const juce::String& key, bool ticked,
              bool enabled, std::function<void()> action) {
    juce::PopupMenu::Item item(text);
    item.shortcutKeyDescription = key;
    item.isTicked = ticked;
    item.isEnabled = enabled;
    item.action = [action = std::move(action)] { catchAll(action); };
    menu.addItem(std::move(item));
}

void addWordEntries(juce::PopupMenu& menu, juce::Component& owner, Controller& controller, const Words& words,
                    const Word& word, juce::Rectangle<int> place) {
    addEntry(menu, "Rename...", "R", false, true,
             [safe = juce::Component::SafePointer<juce::Component>(&owner), &controller, word, place] {
                 if (safe != nullptr) showRename(*safe, controller, word, place);
             });
    const auto move = [&controller, id = word.id](int places) {
        return [&controller, id, places] { controller.words().move(id, places); };
    };
    addEntry(menu, "Move up", juce::String::fromUTF8("Shift + ↑"), false, word.id != words.words.front().id,
             move(-1));
    addEntry(menu, "Move down", juce::String::fromUTF8("Shift + ↓"), false, word.id != words.words.back().id,
             move(1));
    addEntry(menu, "Remove", "Delete", false, true,
             [&controller, id = word.id] { removeLane(controller, id); });
}

} // namespace

void togglePinned(ViewState& view, const std::string& name) {
    view.edit([&](ViewSettings& settings) { toggle(settings.pinned, name); });
}

juce::PopupMenu laneMenu(juce::Component& owner, Controller& controller, const HistoryViewModel& viewModel,
                         int classIndex, juce::Rectangle<int> place, juce::PopupMenu menu) {
    const auto& settings = controller.view().get();
    const auto label = viewModel.label(classIndex);
    const auto name = label.toStdString();
    const auto add = [&](const juce::String& text, const char* key, bool ticked,
                         std::function<void()> action) {
        addEntry(menu, text, key, ticked, true, std::move(action));
    };
    const bool byThreshold = !viewModel.byConfidence();
    if (label.isNotEmpty()) {
        auto& view = controller.view();
        add("Pin", "P", settings.pinned.contains(name), [&view, name] { togglePinned(view, name); });
        add("Solo", "S", settings.solo.contains(name), [&view, name] { toggleSolo(view, name); });
        add("Hide", "H", settings.hidden.contains(name), [&view, name] { toggleHidden(view, name); });
        menu.addSeparator();
        addEntry(menu,
                 byThreshold ? "Threshold for this sound..." : "Threshold for this sound: off, by confidence",
                 {}, settings.classThresholds.contains(name), byThreshold,
                 [safe = juce::Component::SafePointer<juce::Component>(&owner), &controller, &viewModel,
                  classIndex, place] {
                     if (safe != nullptr) showThreshold(*safe, controller, viewModel, classIndex, place);
                 });
        menu.addSeparator();
        const auto* labels = viewModel.history().labels.get();
        if (const auto* word = wordOf(viewModel.words(), *labels, classIndex)) {
            addWordEntries(menu, owner, controller, viewModel.words(), *word, place);
            menu.addSeparator();
        }
    }
    addEntry(menu, "Sounds without events in view", "A", settings.quietLanes, true,
             [&view = controller.view()] {
                 view.edit([](ViewSettings& shown) { shown.quietLanes = !shown.quietLanes; });
             });
    addEntry(menu, "Show hidden sounds", {}, false, !settings.hidden.empty() || !settings.solo.empty(),
             [&view = controller.view()] { showAll(view); });
    return menu;
}

void showLaneMenu(juce::Component& owner, juce::PopupMenu menu, juce::Rectangle<int> place) {
    menu.setLookAndFeel(&owner.getLookAndFeel());
    menu.showMenuAsync(juce::PopupMenu::Options()
                           .withTargetComponent(owner)
                           .withTargetScreenArea(owner.localAreaToGlobal(place))
                           .withParentComponent(owner.getTopLevelComponent()));
}

bool laneKey(juce::Component& owner, Controller& controller, const juce::String& label, const Word* word,
             const juce::KeyPress& key, juce::Rectangle<int> place) {
    const auto name = label.toStdString();
    const int code = key.getKeyCode();
    const auto letter = juce::CharacterFunctions::toLowerCase(key.getTextCharacter());
    if (letter == 'p')
        togglePinned(controller.view(), name);
    else if (letter == 's')
        toggleSolo(controller.view(), name);
    else if (letter == 'h')
        toggleHidden(controller.view(), name);
    else if (word != nullptr && letter == 'r')
        showRename(owner, controller, *word, place);
    else if (word != nullptr && (code == juce::KeyPress::deleteKey || code == juce::KeyPress::backspaceKey))
        removeLane(controller, word->id);
    else
        return false;
    return true;
}

RenamePanel::RenamePanel(Controller& controller, const Word& word)
    : NamePanel("Name for " + inQuotes(toText(word.text), 28), "Return renames the lane, Escape cancels",
                toText(word.name), [&controller, id = word.id](const juce::String& name) {
                    return renameLane(controller, id, name);
                }) {}

float commonThreshold(const Controller& controller, const HistoryViewModel& viewModel, int classIndex) {
    const auto& history = viewModel.history();
    if (!history.labels || !history.timeline) return viewModel.eventSettings().ruleFor(classIndex).on;
    auto choice = controller.rules(*history.labels, history.timeline->secondsPerColumn());
    choice.classThresholds.erase(classIndex);
    return detection::eventSettings(choice, *history.labels).ruleFor(classIndex).on;
}

ThresholdPanel::ThresholdPanel(ViewState& view, std::string name, float common)
    : view_(view)
    , name_(std::move(name))
    , common_(common) {
    const auto& thresholds = view_.get().classThresholds;
    const auto own = thresholds.find(name_);
    slider.setSliderStyle(juce::Slider::LinearHorizontal);
    slider.setTextBoxStyle(juce::Slider::TextBoxRight, false, 44, 20);
    slider.setRange(0.0, 1.0, 0.01);
    slider.setNumDecimalPlacesToDisplay(2);
    slider.setValue(static_cast<double>(own != thresholds.end() ? own->second : common_),
                    juce::dontSendNotification);
    slider.setWantsKeyboardFocus(true);
    slider.setTitle("Threshold for " + juce::String::fromUTF8(name_.c_str()));
    slider.onValueChange = [this] {
        catchAll(*this, [this] {
            view_.edit([&](ViewSettings& settings) {
                settings.classThresholds[name_] = static_cast<float>(slider.getValue());
            });
            reset.setEnabled(true);
        });
    };
    reset.setEnabled(own != thresholds.end());
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
