// The presets that come with Earshot: rules of events, and the groups of AudioSet's ontology whose sounds
// count. Any thread.
#pragma once

#include <span>
#include <string_view>

namespace earshot::detection {

struct Preset {
    std::string_view name;
    float sensitivity;                        // logits, as RuleChoice's threshold is moved by
    double minDuration;                       // seconds
    double mergeGap;                          // seconds
    std::span<const std::string_view> groups; // none: all sounds

    // Whether the preset shows a sound: there are no groups, the sound is in one, or is one. Ignores case
    // (ASCII).
    bool shows(std::string_view label) const;
};

// The last one, "Everything", has the default of each rule.
std::span<const Preset> presets();

} // namespace earshot::detection
