#include "Plugin/Base/UserPresets.h"

#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/WholeFile.h"
#include "Core/Detection/Events/Rules.h"
#include "Plugin/Base/UserLists.h"
#include "Ui/Panels/Widgets.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace earshot::plugin {

namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

constexpr std::uint64_t maxPresetBytes = 8U << 20U;
constexpr std::size_t maxSounds = 5000; // of a preset

Lines readPresetLines() {
    const auto file = UserPresets::file();
    if (!file.exists()) return {};
    return readLines(file.getFullPathName().toStdString(), maxPresetBytes, "file of presets");
}

// Null: the object has no number of that name.
std::optional<float> numberIn(const Json& json, const char* name, float least, float most) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number()) return std::nullopt;
    return static_cast<float>(
        std::clamp(found->get<double>(), static_cast<double>(least), static_cast<double>(most)));
}

std::optional<std::set<std::string>> soundsIn(const Json& json, const char* name) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_array() || found->size() > maxSounds ||
        !std::ranges::all_of(*found, [](const Json& sound) { return sound.is_string(); }))
        return std::nullopt;
    return found->get<std::set<std::string>>();
}

// Null: it is no preset.
std::optional<ui::Preset> presetOf(const std::string& line) {
    constexpr float most = detection::maxSensitivity, maxSeconds = 10.0f; // as the parameters have it
    const auto json = Json::parse(line, nullptr, false);
    if (!json.is_object()) return std::nullopt;
    const auto name = json.find("name");
    const auto sensitivity = numberIn(json, "sensitivity", -most, most);
    const auto shortest = numberIn(json, "shortest", 0.0f, maxSeconds);
    const auto join = numberIn(json, "join", 0.0f, maxSeconds);
    auto solo = soundsIn(json, "solo"), hidden = soundsIn(json, "hidden");
    if (name == json.end() || !name->is_string() || !sensitivity || !shortest || !join || !solo || !hidden)
        return std::nullopt;
    ui::Preset preset{
        name->get<std::string>(), {*sensitivity, *shortest, *join}, std::move(*solo), std::move(*hidden)};
    const int length = ui::toText(preset.name).length();
    if (length == 0 || length > ui::Preset::maxNameLength) return std::nullopt;
    return preset;
}

std::string lineOf(const ui::Preset& preset) {
    // Numbers as people read them.
    const auto rounded = [](float value) { return std::round(static_cast<double>(value) * 1000.0) / 1000.0; };
    Json json = Json::object();
    json["name"] = preset.name;
    json["sensitivity"] = rounded(preset.rules.sensitivity);
    json["shortest"] = rounded(preset.rules.minDuration);
    json["join"] = rounded(preset.rules.mergeGap);
    json["solo"] = preset.solo;
    json["hidden"] = preset.hidden;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<ui::Preset> presetsOf(const Lines& lines) {
    std::vector<ui::Preset> presets;
    for (const auto& line : lines) {
        if (presets.size() >= UserPresets::maxPresets) break;
        auto preset = presetOf(line);
        if (preset && std::ranges::find(presets, preset->name, &ui::Preset::name) == presets.end())
            presets.push_back(std::move(*preset));
    }
    return presets;
}

// The line of a preset; the end: there is none.
Lines::iterator lineFor(Lines& lines, const std::string& name) {
    return std::ranges::find_if(lines, [&](const std::string& line) {
        const auto preset = presetOf(line);
        return preset && preset->name == name;
    });
}

} // namespace

juce::File UserPresets::file() { return configFolder().getChildFile("presets.jsonl"); }

const std::vector<ui::Preset>& UserPresets::own() {
    if (!isRead_) look();
    return own_;
}

void UserPresets::look() {
    isRead_ = true;
    try {
        own_ = presetsOf(readPresetLines());
    } catch (const Error&) {
        logCaught("reading presets");
    }
}

juce::String UserPresets::change(const std::function<void(Lines&)>& edit) {
    try {
        auto lines = readPresetLines();
        edit(lines);
        std::string text;
        for (const auto& line : lines) text += line + "\n";
        writeWholeFile(file().getFullPathName().toStdString(), text, WholeFile::MissingFolders::made);
        own_ = presetsOf(lines);
        return {};
    } catch (const Error& error) {
        logCaught("storing presets");
        return "The presets could not be saved: " + ui::toText(error.what());
    }
}

juce::String UserPresets::save(const ui::Preset& preset) {
    return change([&](Lines& lines) {
        if (const auto line = lineFor(lines, preset.name); line != lines.end())
            *line = lineOf(preset);
        else if (presetsOf(lines).size() < maxPresets)
            lines.push_back(lineOf(preset));
        else
            throw Error("there are 500 already; delete one first");
    });
}

juce::String UserPresets::rename(const std::string& from, const std::string& name) {
    return change([&](Lines& lines) {
        const auto line = lineFor(lines, from);
        if (line == lines.end()) throw Error("this preset is gone");
        if (lineFor(lines, name) != lines.end()) throw Error("there is a preset of this name already");
        auto preset = *presetOf(*line);
        preset.name = name;
        *line = lineOf(preset);
    });
}

juce::String UserPresets::remove(const std::string& name) {
    return change([&](Lines& lines) {
        for (auto line = lineFor(lines, name); line != lines.end(); line = lineFor(lines, name))
            lines.erase(line);
    });
}

} // namespace earshot::plugin
