#include "Core/Detection/Events/SoundGroups.h"

#include "Core/Base/Csv.h"

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

} // namespace earshot::detection
