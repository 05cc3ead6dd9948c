// Presets of the views: the built-in ones and the user's own, which of them is active, and how one is
// applied. Message thread.
#pragma once

#include "Core/Detection/Events/Labels.h"
#include "Ui/Controller.h"
#include "Ui/ParameterIds.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace earshot::ui {

// The parameters of PresetRules.
inline constexpr std::array<const char*, 3> presetParameters{parameter::sensitivity, parameter::minDuration,
                                                             parameter::mergeGap};
PresetRules presetRules(juce::AudioProcessorValueTreeState& parameters);
// As the user would: each that differs is a gesture for the host.
void setPresetRules(juce::AudioProcessorValueTreeState& parameters, const PresetRules& rules);

// For a model's labels (null: no model is loaded), of which they show the sounds of their groups; all, if the
// model has none of those.
std::vector<Preset> builtInPresets(const detection::Labels* labels);

// The preset that was applied last, with its values for these labels; null: it is not known any more.
std::optional<Preset> activePreset(Controller& controller, const detection::Labels* labels);
// Whether the rules, or the sounds that are shown of these labels, differ from the preset's.
bool isChanged(Controller& controller, const detection::Labels* labels, const Preset& preset);
// What is set now, under a name.
Preset currentPreset(Controller& controller, const std::string& name);
// One step of EditHistory.
void applyPreset(Controller& controller, const Preset& preset);

// Says that the active preset is about sounds that the model does not have, so that all are shown; else
// empty.
juce::String missingSounds(Controller& controller, const detection::Labels* labels);

} // namespace earshot::ui
