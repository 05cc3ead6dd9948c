#include "Ui/Panels/PresetButton.h"

#include "Core/Base/Error.h"
#include "Ui/NonThrowing.h"
#include "Ui/Panels/NamePanel.h"
#include "Ui/PresetChoice.h"
#include "Ui/WordLanes.h"

#include <algorithm>
#include <utility>

namespace earshot::ui {

namespace {

constexpr int maxNameLengthInMenu = 28;
constexpr const char* help = "Sensitivity, shortest event, gaps to join and the sounds shown, for a purpose. "
                             "The menu also saves what is set now.";

bool isBuiltIn(const std::string& name) {
    const auto presets = builtInPresets(nullptr);
    return std::ranges::find(presets, name, &Preset::name) != presets.end();
}

juce::String whyNot(const juce::String& name, const std::vector<Preset>& own) {
    if (name.isEmpty()) return "Type a name for the preset";
    if (name.length() > Preset::maxNameLength) return "Type a shorter name: it may have 64 characters";
    const auto text = name.toStdString();
    if (isBuiltIn(text) || std::ranges::find(own, text, &Preset::name) != own.end())
        return "There is a preset of this name already: choose another";
    return {};
}

} // namespace

PresetButton::PresetButton(Controller& controller, const HistoryViewModel& viewModel)
    : MenuButton("Preset")
    , controller_(controller)
    , viewModel_(viewModel) {
    for (const char* id : presetParameters)
        attachments_.push_back(std::make_unique<juce::ParameterAttachment>(
            *controller.parameters().getParameter(id),
            [this](float) { catchAll(*this, [this] { refresh(); }); }));
    refresh();
}

PresetButton::~PresetButton() = default;

void PresetButton::refresh() {
    const auto active = activePreset(controller_, labels());
    const bool changed = active && isChanged(controller_, labels(), *active);
    const auto name = active ? toText(active->name) + (changed ? " (changed)" : "") : juce::String("None");
    setText(name, "Preset: " + name, help);
}

void PresetButton::addPresets(juce::PopupMenu& menu, const std::vector<Preset>& presets) {
    const juce::Component::SafePointer<PresetButton> self(this);
    for (const auto& preset : presets)
        menu.addItem(toText(preset.name), true, preset.name == controller_.view().get().preset,
                     [self, preset] {
                         if (self != nullptr)
                             catchAll(*self, [&] { applyPreset(self->controller_, preset); });
                     });
    menu.addSeparator();
}

juce::PopupMenu PresetButton::menu() {
    controller_.presets().look();
    juce::PopupMenu menu;
    addPresets(menu, builtInPresets(labels()));
    if (!controller_.presets().own().empty()) addPresets(menu, controller_.presets().own());
    menu.addItem("Save as a preset...", [self = juce::Component::SafePointer<PresetButton>(this)] {
        if (self != nullptr) catchAll(*self, [&] { self->askToSave(); });
    });
    const auto active = activePreset(controller_, labels());
    if (active && !isBuiltIn(active->name)) addOwnEntries(menu, *active);
    return menu;
}

void PresetButton::addOwnEntries(juce::PopupMenu& menu, const Preset& active) {
    const auto name = inQuotes(toText(active.name), maxNameLengthInMenu);
    const juce::Component::SafePointer<PresetButton> self(this);
    const auto run = [self, old = active.name](void (PresetButton::*act)(const std::string&)) {
        return [self, old, act] {
            if (self != nullptr) catchAll(*self, [&] { ((*self).*act)(old); });
        };
    };
    menu.addItem("Save changes to " + name, isChanged(controller_, labels(), active), false,
                 run(&PresetButton::saveChanges));
    menu.addItem("Rename " + name + "...", run(&PresetButton::askToRename));
    menu.addItem("Delete " + name, run(&PresetButton::remove));
}

// Another view of the same presets follows.
void PresetButton::activate(const std::string& name) {
    controller_.view().edit([&](ViewSettings& settings) { settings.preset = name; });
    controller_.view().sendChangeMessage();
    refresh();
}

juce::String PresetButton::save(const juce::String& name) {
    auto why = whyNot(name, controller_.presets().own());
    if (why.isEmpty()) why = controller_.presets().save(currentPreset(controller_, name.toStdString()));
    if (why.isEmpty()) activate(name.toStdString());
    return why;
}

juce::String PresetButton::rename(const std::string& from, const juce::String& name) {
    if (name == toText(from)) return {};
    auto why = whyNot(name, controller_.presets().own());
    if (why.isEmpty()) why = controller_.presets().rename(from, name.toStdString());
    if (why.isEmpty()) activate(name.toStdString());
    return why;
}

void PresetButton::saveChanges(const std::string& name) {
    if (const auto why = controller_.presets().save(currentPreset(controller_, name)); why.isNotEmpty())
        throw Error(why.toStdString());
    activate(name);
}

// What it had set stays, so that it can be saved again.
void PresetButton::remove(const std::string& name) {
    if (const auto why = controller_.presets().remove(name); why.isNotEmpty()) throw Error(why.toStdString());
    activate({});
}

void PresetButton::askToSave() {
    ask("Name for the preset", "Return saves the preset, Escape cancels", {},
        [](PresetButton& button, const juce::String& name) { return button.save(name); });
}

void PresetButton::askToRename(const std::string& old) {
    ask("Name for " + inQuotes(toText(old), maxNameLengthInMenu), "Return renames the preset, Escape cancels",
        toText(old),
        [old](PresetButton& button, const juce::String& name) { return button.rename(old, name); });
}

void PresetButton::ask(const juce::String& title, const juce::String& how, const juce::String& name,
                       std::function<juce::String(PresetButton&, const juce::String&)> take) {
    const juce::Component::SafePointer<PresetButton> self(this);
    showBeside(*this,
               std::make_unique<NonThrowing<NamePanel>>(
                   title, how, name,
                   [self, take = std::move(take)](const juce::String& given) {
                       return self != nullptr ? take(*self, given) : juce::String();
                   }),
               getLocalBounds());
}

void PresetButton::clicked() { showMenu(menu(), *this); }

} // namespace earshot::ui
