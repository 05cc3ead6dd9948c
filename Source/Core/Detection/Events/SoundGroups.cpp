#include "Core/Detection/Events/SoundGroups.h"

#include "Core/Base/Csv.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace earshot::detection {

namespace {

constexpr char groupsCsv[] =
#include "AudioSetGroups.inc"
    ;

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

std::map<std::string, std::string> readGroups() {
    std::map<std::string, std::string> groups; // by label in lower case
    for (CsvRow& row : parseCsv(groupsCsv))
        if (row.size() == 2) groups.emplace(lowerCase(row[0]), std::move(row[1]));
    groups.erase("label"); // the header
    return groups;
}

} // namespace

std::string_view groupsOf(std::string_view label) {
    static const auto groups = readGroups();
    const auto found = groups.find(lowerCase(label));
    return found == groups.end() ? std::string_view() : found->second;
}

SoundFamily familyOf(std::string_view label) {
    struct Root {
        std::string_view group;
        SoundFamily family;
    };
    static constexpr std::array<Root, 5> roots{{{"human sounds", SoundFamily::people},
                                                {"animal", SoundFamily::animals},
                                                {"music", SoundFamily::music},
                                                {"natural sounds", SoundFamily::nature},
                                                {"sounds of things", SoundFamily::things}}};
    const auto groups = groupsOf(label);
    const auto widest = lowerCase(groups.empty() ? label : groups.substr(0, groups.find(';')));
    const auto* root = std::ranges::find(roots, widest, &Root::group);
    return root == roots.end() ? SoundFamily::unplaced : root->family;
}

std::string_view familyName(SoundFamily family) {
    static constexpr std::array<std::string_view, soundFamilies> names{"People", "Animals", "Music",
                                                                       "Nature", "Things",  "Other"};
    return names[static_cast<std::size_t>(family)];
}

} // namespace earshot::detection
