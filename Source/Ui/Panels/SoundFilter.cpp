#include "Ui/Panels/SoundFilter.h"

#include "Core/Detection/Events/SoundGroups.h"

#include <cctype>

namespace earshot::ui {

namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

} // namespace

bool matchesSearch(std::string_view label, std::string_view search) {
    const std::string wanted = lower(search);
    std::string text;
    std::size_t begin = wanted.find_first_not_of(' ');
    while (begin != std::string::npos) {
        if (text.empty()) text = lower(label) + '\n' + lower(detection::groupsOf(label));
        const std::size_t end = std::min(wanted.find(' ', begin), wanted.size());
        if (text.find(wanted.substr(begin, end - begin)) == std::string::npos) return false;
        begin = wanted.find_first_not_of(' ', end);
    }
    return true;
}

std::vector<bool> shownSounds(const detection::Labels& labels, const ViewSettings& view,
                              std::string_view search) {
    std::vector<bool> shown;
    shown.reserve(labels.names().size());
    for (const std::string& name : labels.names())
        shown.push_back(view.hidden.count(name) == 0 && (view.solo.empty() || view.solo.count(name) > 0) &&
                        matchesSearch(name, search));
    return shown;
}

} // namespace earshot::ui
