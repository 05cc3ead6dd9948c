#include "Ui/Timeline/LaneList.h"

#include "Core/Detection/Events/SoundGroups.h"

#include <algorithm>

namespace earshot::ui {

namespace {

juce::String text(std::string_view utf8) {
    return juce::String::fromUTF8(utf8.data(), static_cast<int>(utf8.size()));
}

} // namespace

bool matchesSearch(const std::string& label, const juce::String& search) {
    return text(label).containsIgnoreCase(search) ||
           text(detection::groupsOf(label)).containsIgnoreCase(search);
}

std::vector<int> shownLanes(const detection::Labels& labels, std::span<const int> order,
                            const ViewSettings& view, const juce::String& search) {
    const auto trimmed = search.trim();
    // A name of another model's must not leave nothing to see.
    const bool solo =
        std::ranges::any_of(order, [&](int lane) { return view.solo.contains(labels.name(lane)); });
    std::vector<int> pinned, others;
    for (const int lane : order) {
        const auto& name = labels.name(lane);
        if (trimmed.isNotEmpty()) {
            if (!matchesSearch(name, trimmed)) continue;
        } else if (solo ? !view.solo.contains(name) : view.hidden.contains(name)) {
            continue;
        }
        (view.pinned.contains(name) ? pinned : others).push_back(lane);
    }
    std::ranges::sort(pinned, {}, [&](int lane) { return labels.name(lane); });
    pinned.insert(pinned.end(), others.begin(), others.end());
    return pinned;
}

} // namespace earshot::ui
