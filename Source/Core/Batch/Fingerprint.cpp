#include "Core/Batch/Fingerprint.h"

#include "Core/Base/Printable.h"

#include <algorithm>
#include <map>

namespace earshot::batch {

namespace {

// Enough of a hash or a list to tell two apart.
std::string shown(const std::string& value) {
    constexpr std::size_t longest = 40;
    if (value.empty()) return "not set";
    return printable(value.size() > longest ? value.substr(0, 12) + "..." : value);
}

} // namespace

std::string differences(const Fingerprint& before, const Fingerprint& now) {
    std::map<std::string, std::string> old(before.begin(), before.end());
    std::string text;
    const auto differ = [&](const std::string& name, const std::string& was, const std::string& is) {
        if (was != is)
            text +=
                (text.empty() ? "" : ", ") + name + " was " + shown(was) + " and is " + shown(is) + " now";
    };
    for (const auto& [name, value] : now) {
        differ(name, old[name], value);
        old.erase(name);
    }
    for (const auto& [name, value] : old) differ(name, value, "");
    return text;
}

} // namespace earshot::batch
