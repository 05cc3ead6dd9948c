#include "Core/Detection/Events/Presets.h"

#include "Core/Detection/Events/SoundGroups.h"

#include <algorithm>
#include <array>
#include <string>

namespace earshot::detection {

namespace {

constexpr std::array<std::string_view, 1> birds{"Bird"};
constexpr std::array<std::string_view, 3> voices{"Speech", "Shout", "Whispering"};
constexpr std::array<std::string_view, 2> drums{"Percussion", "Drum beat"};

bool isSameText(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

// groups: "Animal; Wild animals; Bird".
bool holdsGroup(std::string_view groups, std::string_view wanted) {
    while (!groups.empty()) {
        const auto end = std::min(groups.find("; "), groups.size());
        if (isSameText(groups.substr(0, end), wanted)) return true;
        groups.remove_prefix(std::min(end + 2, groups.size()));
    }
    return false;
}

} // namespace

bool Preset::shows(std::string_view label) const {
    return groups.empty() || std::ranges::any_of(groups, [&](std::string_view group) {
               return isSameText(label, group) || holdsGroup(groupsOf(label), group);
           });
}

// Distant birds are faint, and a call with pauses is one event. Words of a sentence are one event, and clicks
// are none. Beats are short, and each counts.
std::span<const Preset> presets() {
    static constexpr std::array<Preset, 4> all{{{"Field birds", 1.0f, 0.0, 1.0, birds},
                                                {"Dialogue", 0.0f, 0.3, 0.8, voices},
                                                {"Drums", 0.5f, 0.0, 0.0, drums},
                                                {"Everything", 0.0f, 0.0, 0.0, {}}}};
    return all;
}

} // namespace earshot::detection
