// What the views ask of the user's own presets, which all projects on this computer share. Message thread.
#pragma once

#include <juce_core/juce_core.h>

#include <set>
#include <string>
#include <vector>

namespace earshot::ui {

// In the units of the parameters.
struct PresetRules {
    float sensitivity = 0.0f; // logits
    float minDuration = 0.0f; // seconds
    float mergeGap = 0.0f;    // seconds

    bool operator==(const PresetRules&) const = default;
};

struct Preset {
    static constexpr int maxNameLength = 64; // characters

    std::string name; // UTF-8; unique
    PresetRules rules;
    std::set<std::string> solo, hidden; // as in ViewSettings

    bool operator==(const Preset&) const = default;
};

class PresetControl {
  public:
    virtual ~PresetControl() = default;

    virtual const std::vector<Preset>& own() = 0; // in the order in which they were saved
    virtual void look() = 0;                      // at what other instances saved
    // Where these return a text, it says why nothing was done: a sentence. save() replaces the one of that
    // name.
    virtual juce::String save(const Preset& preset) = 0;
    virtual juce::String rename(const std::string& from, const std::string& name) = 0;
    virtual juce::String remove(const std::string& name) = 0;
};

} // namespace earshot::ui
