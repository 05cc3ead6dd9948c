#include "Ui/PresetChoice.h"

#include "Core/Detection/Events/Presets.h"
#include "Ui/SoundFilter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace earshot::ui {

namespace {

using Parameters = juce::AudioProcessorValueTreeState;
// Of PresetRules, in the order of presetParameters.
constexpr std::array<float PresetRules::*, 3> rulesMembers{&PresetRules::sensitivity,
                                                           &PresetRules::minDuration, &PresetRules::mergeGap};

bool isNear(const PresetRules& a, const PresetRules& b) {
    constexpr float rounding = 1e-3f; // of a value that went through a host
    return std::ranges::all_of(rulesMembers,
                               [&](auto member) { return std::abs(a.*member - b.*member) < rounding; });
}

std::string nameOf(const detection::Preset& preset) { return std::string(preset.name); }

std::set<std::string> soundsOf(const detection::Preset& preset, const detection::Labels* labels) {
    std::set<std::string> sounds;
    if (labels != nullptr && !preset.groups.empty())
        std::ranges::copy_if(labels->names(), std::inserter(sounds, sounds.end()),
                             [&](const std::string& name) { return preset.shows(name); });
    return sounds;
}

} // namespace

PresetRules presetRules(Parameters& parameters) {
    PresetRules rules;
    // The raw value may not have followed yet when listeners are called.
    for (std::size_t i = 0; i < rulesMembers.size(); ++i) {
        const auto* parameter = parameters.getParameter(presetParameters[i]);
        rules.*rulesMembers[i] = parameter->convertFrom0to1(parameter->getValue());
    }
    return rules;
}

void setPresetRules(Parameters& parameters, const PresetRules& rules) {
    for (std::size_t i = 0; i < rulesMembers.size(); ++i) {
        auto* parameter = parameters.getParameter(presetParameters[i]);
        const float value = parameter->convertTo0to1(rules.*rulesMembers[i]);
        if (value == parameter->getValue()) continue;
        parameter->beginChangeGesture();
        parameter->setValueNotifyingHost(value);
        parameter->endChangeGesture();
    }
}

std::vector<Preset> builtInPresets(const detection::Labels* labels) {
    std::vector<Preset> all;
    for (const auto& preset : detection::presets())
        all.push_back({nameOf(preset),
                       {preset.sensitivity, static_cast<float>(preset.minDuration),
                        static_cast<float>(preset.mergeGap)},
                       soundsOf(preset, labels),
                       {}});
    return all;
}

std::optional<Preset> activePreset(Controller& controller, const detection::Labels* labels) {
    const auto& name = controller.view().get().preset;
    for (const auto& presets : {builtInPresets(labels), controller.presets().own()})
        if (const auto found = std::ranges::find(presets, name, &Preset::name); found != presets.end())
            return *found;
    return std::nullopt;
}

bool isChanged(Controller& controller, const detection::Labels* labels, const Preset& preset) {
    if (!isNear(presetRules(controller.parameters()), preset.rules)) return true;
    if (labels == nullptr) return false;
    const auto& view = controller.view().get();
    auto wanted = view;
    wanted.solo = preset.solo;
    wanted.hidden = preset.hidden;
    return shownSounds(*labels, view, {}) != shownSounds(*labels, wanted, {});
}

Preset currentPreset(Controller& controller, const std::string& name) {
    const auto& view = controller.view().get();
    return {name, presetRules(controller.parameters()), view.solo, view.hidden};
}

void applyPreset(Controller& controller, const Preset& preset) {
    auto& view = controller.view();
    if (view.onPreset) view.onPreset(false);
    setPresetRules(controller.parameters(), preset.rules);
    view.edit([&](ViewSettings& settings) {
        settings.preset = preset.name;
        settings.solo = preset.solo;
        settings.hidden = preset.hidden;
    });
    if (view.onPreset) view.onPreset(true);
}

juce::String missingSounds(Controller& controller, const detection::Labels* labels) {
    const auto& name = controller.view().get().preset;
    const auto preset = std::ranges::find(detection::presets(), name, nameOf);
    if (labels == nullptr || labels->count() == 0 || preset == detection::presets().end() ||
        preset->groups.empty() || !soundsOf(*preset, labels).empty())
        return {};
    return "This model has no sounds of the preset " + juce::String(name) + ": all its sounds are shown";
}

} // namespace earshot::ui
