#include "Ui/SoundFilter.h"

#include "Core/Detection/Events/SoundGroups.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace earshot::ui {

namespace {

bool arranged(const std::string& name, const ViewSettings& view, bool solo) {
    return solo ? view.solo.contains(name) : !view.hidden.contains(name);
}

} // namespace

bool anySolo(const detection::Labels& labels, const ViewSettings& view) {
    return !view.solo.empty() &&
           std::ranges::any_of(labels.names(), [&](const auto& name) { return view.solo.contains(name); });
}

bool matchesSearch(std::string_view label, const juce::String& search) {
    const auto words = juce::StringArray::fromTokens(search, " ", "");
    const auto holds = [](std::string_view utf8, const juce::String& word) {
        return juce::String::fromUTF8(utf8.data(), static_cast<int>(utf8.size())).containsIgnoreCase(word);
    };
    return std::all_of(words.begin(), words.end(), [&](const juce::String& word) {
        return word.isEmpty() || holds(label, word) || holds(detection::groupsOf(label), word);
    });
}

std::vector<bool> shownSounds(const detection::Labels& labels, const ViewSettings& view,
                              const juce::String& search) {
    const bool solo = anySolo(labels, view);
    std::vector<bool> shown;
    shown.reserve(labels.names().size());
    for (const std::string& name : labels.names())
        shown.push_back(arranged(name, view, solo) && matchesSearch(name, search));
    return shown;
}

std::vector<int> shownLanes(const detection::Labels& labels, std::span<const int> order,
                            const ViewSettings& view, const juce::String& search,
                            std::span<const int> first) {
    const bool solo = anySolo(labels, view), searched = search.trim().isNotEmpty();
    const auto shown = [&](int lane) {
        const auto& name = labels.name(lane);
        return searched ? matchesSearch(name, search) : arranged(name, view, solo);
    };
    std::vector<int> lanes, pinned, others;
    std::ranges::copy_if(first, std::back_inserter(lanes), shown);
    const std::set<int> placed(first.begin(), first.end());
    for (const int lane : order)
        if (!placed.contains(lane) && shown(lane))
            (view.pinned.contains(labels.name(lane)) ? pinned : others).push_back(lane);
    std::ranges::sort(pinned, {}, [&](int lane) { return labels.name(lane); });
    lanes.insert(lanes.end(), pinned.begin(), pinned.end());
    lanes.insert(lanes.end(), others.begin(), others.end());
    return lanes;
}

} // namespace earshot::ui
