#include "Core/Batch/Fingerprint.h"

#include "Core/Base/Numbers.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

namespace earshot::batch {

namespace {

// Shortens a long value, such as a hash or a list, for a message.
std::string shown(const std::string& value) {
    constexpr std::size_t longest = 40;
    if (value.empty()) return "not set";
    return printable(value.size() > longest ? value.substr(0, 12) + "..." : value);
}

// Thresholds of classes in one form: users write them in any case, with any zeros and in any order. Other
// settings have one form already.
std::string plain(const std::string& setting, const std::string& value) {
    if (setting != "class thresholds") return value;
    std::vector<std::string> parts;
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 2) {
        end = value.find(", ", begin);
        std::string part = value.substr(begin, end - begin);
        for (char& c : part)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        const auto equals = part.rfind('=');
        if (const auto number =
                equals == std::string::npos ? std::nullopt : parseNumber(part.substr(equals + 1)))
            part = fmt::format("{}={}", part.substr(0, equals), static_cast<float>(*number));
        parts.push_back(part);
    }
    std::ranges::sort(parts);
    return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace

std::string differences(const Fingerprint& before, const Fingerprint& now) {
    std::map<std::string, std::string> old(before.begin(), before.end());
    std::string text;
    const auto differ = [&](const std::string& name, const std::string& was, const std::string& is) {
        if (plain(name, was) != plain(name, is))
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

bool sameResults(const Fingerprint& before, const Fingerprint& now) {
    const auto settings = [](const Fingerprint& all) {
        std::map<std::string, std::string> some(all.begin(), all.end());
        some.erase("earshot");
        for (auto& [name, value] : some) value = plain(name, value);
        return some;
    };
    return settings(before) == settings(now);
}

} // namespace earshot::batch
