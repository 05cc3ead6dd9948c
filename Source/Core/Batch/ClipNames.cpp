#include "Core/Batch/ClipNames.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace earshot::batch {

namespace {

using namespace std::string_view_literals;

constexpr std::array placeholders = {"recording"sv, "label"sv,  "onset"sv, "offset"sv,
                                     "peak"sv,      "number"sv, "clock"sv};

std::string clockForNames(const WallTime& time) {
    const WallFields at = fieldsOf(time);
    return fmt::format("{}_{:02}-{:02}-{:02}.{:03}", dateText(time), at.hour, at.minute, at.second,
                       at.millisecond);
}

std::string valueOf(std::string_view placeholder, const ClipFacts& facts) {
    constexpr const char* unknown = "unknown";
    if (placeholder == "recording") return facts.recording;
    if (placeholder == "label") return facts.label;
    if (placeholder == "onset") return fmt::format("{:09.3f}", facts.onset);
    if (placeholder == "offset") return fmt::format("{:09.3f}", facts.offset);
    if (placeholder == "number") return fmt::format("{:04}", facts.number);
    if (placeholder == "peak") return facts.peak ? fmt::format("{:.3f}", *facts.peak) : unknown;
    return facts.clock ? clockForNames(*facts.clock) : unknown;
}

[[noreturn]] void refuseRule(std::string_view rule, const std::string& why) {
    std::string all;
    for (const auto each : placeholders) all += fmt::format("{}{{{}}}", all.empty() ? "" : ", ", each);
    throw Error(fmt::format("the naming rule '{}' {}; its placeholders are {}", printable(rule), why, all));
}

// Calls text() and placeholder() for the parts of a rule.
template <typename Text, typename Placeholder>
void eachPart(std::string_view rule, Text text, Placeholder placeholder) {
    while (!rule.empty()) {
        const auto open = std::min(rule.find('{'), rule.size());
        text(rule.substr(0, open));
        rule.remove_prefix(open);
        if (rule.empty()) return;
        const auto close = rule.find('}');
        placeholder(close == std::string_view::npos ? rule : rule.substr(1, close - 1)); // unclosed: itself
        rule.remove_prefix(std::min(close, rule.size() - 1) + 1);
    }
}

std::string asciiUpper(std::string_view text) {
    std::string upper(text);
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return upper;
}

// CON, COM1 and so on, also with an ending.
bool isWindowsDevice(std::string_view name) {
    constexpr std::array devices = {"CON"sv, "PRN"sv, "AUX"sv, "NUL"sv, "CONIN$"sv, "CONOUT$"sv};
    constexpr std::size_t numbered = 4; // characters of COM1 and LPT1
    std::string stem = asciiUpper(name.substr(0, name.find('.')));
    while (stem.ends_with(' ')) stem.pop_back();
    if (std::ranges::find(devices, stem) != devices.end()) return true;
    const bool port = stem.starts_with("COM") || stem.starts_with("LPT");
    return port && stem.size() == numbered && stem.back() >= '0' && stem.back() <= '9';
}

} // namespace

ClipRule::ClipRule(std::string_view rule)
    : rule_(rule) {
    for (const auto ending : {".wav"sv, ".flac"sv})
        if (rule_.size() > ending.size() && rule_.ends_with(ending))
            rule_.resize(rule_.size() - ending.size());
    if (rule_.empty() || rule_.ends_with('/')) refuseRule(rule, "names no file");
    eachPart(
        rule_,
        [&](std::string_view text) {
            if (text.find('}') != std::string_view::npos) refuseRule(rule, "has a } without its {");
        },
        [&](std::string_view name) {
            if (std::ranges::find(placeholders, name) == placeholders.end())
                refuseRule(rule, fmt::format("has no meaning for {{{}}}", printable(name)));
        });
}

std::string ClipRule::name(const ClipFacts& facts) const {
    std::string path, part;
    const auto endPart = [&] {
        if (!part.empty()) path += (path.empty() ? "" : "/") + safeFileName(part);
        part.clear();
    };
    eachPart(
        rule_,
        [&](std::string_view text) {
            for (const char c : text) c == '/' ? endPart() : part.push_back(c);
        },
        [&](std::string_view name) {
            const std::string value = valueOf(name, facts);
            part += value.empty() ? "_" : value;
            std::ranges::replace(part, '/', '_');
        });
    endPart();
    return path;
}

std::string safeFileName(std::string_view text) {
    constexpr std::size_t maxBytes = 230; // file systems have 255; a number and an ending follow
    constexpr std::string_view refused = "<>:\"/\\|?*";
    std::string name;
    const std::string whole = composed(text);
    for (std::string_view rest = whole; !rest.empty();) {
        const auto [bytes, code] = takeCharacter(rest);
        if (name.size() + bytes.size() > maxBytes) break;
        const bool usable = code && !isControl(*code) && !isInvisible(*code) &&
                            refused.find(bytes.front()) == std::string_view::npos;
        if (usable)
            name += bytes;
        else
            name += '_';
    }
    while (name.ends_with('.') || name.ends_with(' ')) name.pop_back();
    name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
    if (name.starts_with('.')) name.front() = '_'; // it would be hidden
    if (isWindowsDevice(name)) name.insert(0, 1, '_');
    return name.empty() ? "_" : name;
}

std::filesystem::path ClipNames::next(const std::string& name, std::string_view ending) {
    const auto key = [&](const std::string& text) { return asciiUpper(text) + std::string(ending); };
    int& count = taken_[key(name)];
    std::string numbered = name;
    while (++count > 1) {
        numbered = fmt::format("{}-{}", name, count);
        if (taken_.try_emplace(key(numbered), 1).second) break;
    }
    return numbered + std::string(ending);
}

} // namespace earshot::batch
