#include "Plugin/State/PluginState.h"

#include "Core/Base/Float16.h"
#include "Core/Base/Unicode.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

namespace earshot::plugin {

namespace {

using Json = nlohmann::json;

constexpr int version = 1;
constexpr std::size_t maxEntries = 5000;   // in a list
constexpr std::size_t maxNameLength = 500; // bytes
constexpr std::size_t maxPathLength = 4096;
constexpr std::size_t maxHostLength = 253;
constexpr double maxView = 10.0 * 24.0 * 3600.0; // seconds
constexpr double minView = 5.0;
constexpr double maxHertz = 1e6;
constexpr int minWidth = 640;
constexpr int minHeight = 360;
constexpr int maxSide = 8192;
constexpr int maxClasses = 100'000;
constexpr int minHistory = 16; // MB
constexpr int maxHistory = 65'536;

// Returns the member, or a null value if the object does not have it.
const Json& member(const Json& object, const char* name) {
    static const Json none;
    if (!object.is_object()) return none;
    const auto found = object.find(name);
    return found == object.end() ? none : *found;
}

void read(const Json& value, bool& into) {
    if (value.is_boolean()) into = value.get<bool>();
}

void read(const Json& value, std::string& into, std::size_t longest) {
    if (!value.is_string()) return;
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() <= longest && text.find('\0') == std::string::npos) into = text;
}

void read(const Json& value, double& into, double least, double most) {
    if (!value.is_number()) return;
    const auto number = value.get<double>();
    if (std::isfinite(number)) into = std::clamp(number, least, most);
}

void read(const Json& value, int& into, int least, int most) {
    double number = into;
    read(value, number, least, most);
    into = static_cast<int>(std::lround(number));
}

void read(const Json& list, std::set<std::string>& into) {
    if (!list.is_array()) return;
    for (const Json& entry : list) {
        if (into.size() >= maxEntries) return;
        std::string name;
        read(entry, name, maxNameLength);
        if (!name.empty()) into.insert(name);
    }
}

// Reads numbers by name and leaves out non-finite ones.
void read(const Json& object, std::map<std::string, float>& into, double least, double most) {
    if (!object.is_object()) return;
    for (const auto& [name, value] : object.items()) {
        if (into.size() >= maxEntries) return;
        if (name.empty() || name.size() > maxNameLength || !value.is_number()) continue;
        const auto number = value.get<double>();
        if (std::isfinite(number)) into[name] = static_cast<float>(std::clamp(number, least, most));
    }
}

template <typename Number>
std::string base64(const std::vector<Number>& numbers) {
    return juce::Base64::toBase64(numbers.data(), numbers.size() * sizeof(Number)).toStdString();
}

// None of what is no base 64.
template <typename Number>
std::vector<Number> numbersFrom(const Json& value) {
    juce::MemoryOutputStream bytes;
    if (!value.is_string()) return {};
    const auto& encoded = value.get_ref<const std::string&>();
    if (!juce::Base64::convertFromBase64(bytes, juce::String::fromUTF8(encoded.c_str()))) return {};
    std::vector<Number> numbers(bytes.getDataSize() / sizeof(Number));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.getData(), numbers.size() * sizeof(Number));
    return numbers;
}

void read(const Json& json, float& into, float least, float most) {
    double number = static_cast<double>(into);
    read(json, number, static_cast<double>(least), static_cast<double>(most));
    into = static_cast<float>(number);
}

teaching::TaughtSound soundFrom(const Json& json) {
    constexpr float most = teaching::TaughtPart::maxValue;
    teaching::TaughtSound sound;
    read(member(json, "name"), sound.name, maxNameLength);
    read(member(json, "threshold"), sound.threshold, 0.0f, 1.0f);
    read(member(json, "bias"), sound.row.bias, -most, most);
    if (const Json& bias = member(json, "boxBias"); bias.is_number())
        read(bias, sound.boxBias.emplace(), -most, most);
    for (const std::uint16_t half : numbersFrom<std::uint16_t>(member(json, "float16")))
        sound.row.weights.push_back(fromFloat16(half));
    if (sound.row.weights.empty()) sound.row.weights = numbersFrom<float>(member(json, "float32"));
    return sound;
}

// All of it or nothing.
void read(const Json& json, std::optional<teaching::TaughtPart>& into) {
    const Json& list = member(json, "sounds");
    if (!list.is_array() || list.size() > teaching::TaughtPart::maxSounds) return;
    teaching::TaughtPart part;
    read(member(json, "classes"), part.note.classes, 0, maxClasses);
    for (const auto& [name, text] : {std::pair{"model", &part.note.model},
                                     {"base", &part.note.base},
                                     {"examples", &part.note.examples},
                                     {"licence", &part.licence}})
        read(member(json, name), *text, PluginState::maxBytes); // valid() knows the limits
    for (const Json& entry : list) part.sounds.push_back(soundFrom(entry));
    if (part.valid()) into = std::move(part);
}

void read(const Json& json, ModelChoice& model) {
    std::string path;
    read(member(json, "path"), path, maxPathLength);
    model.file = std::filesystem::path(path);
    read(member(json, "sha256"), model.sha256, 64);
    read(member(json, "name"), model.name, maxNameLength);
    read(member(json, "taught"), model.taught);
}

// Leaves out what is no vector.
void read(const Json& object, std::map<std::string, detection::TextVectors::Vector>& vectors) {
    if (!object.is_object()) return;
    for (const auto& [text, value] : object.items()) {
        if (vectors.size() >= 2 * ui::Words::most || text.size() > WordsState::maxTextLength) return;
        if (auto vector = numbersFrom<std::uint16_t>(value); !vector.empty())
            vectors[text] = std::move(vector);
    }
}

void read(const Json& json, WordsState& state) {
    read(member(json, "joins"), state.joins);
    read(member(json, "space"), state.space, maxNameLength);
    read(member(json, "vectors"), state.vectors);
    const Json& list = member(json, "list");
    if (!list.is_array()) return;
    std::set<int> ids;
    std::set<std::string> names;
    for (const Json& entry : list) {
        if (state.words.size() >= ui::Words::most) return;
        ui::Word word;
        read(member(entry, "id"), word.id, 0, WordsState::maxId);
        read(member(entry, "text"), word.text, WordsState::maxTextLength);
        read(member(entry, "name"), word.name, WordsState::maxTextLength);
        word.text = visibleText(word.text, "?");
        word.name = printable(word.name.empty() ? word.text : word.name);
        if (word.text.empty() || word.name.empty() || word.id < 1) continue;
        if (ids.insert(word.id).second && names.insert(word.name).second) state.words.push_back(word);
    }
}

void read(const Json& json, ui::OutputSettings& outputs) {
    read(member(json, "osc"), outputs.osc);
    std::string host = outputs.oscHost.toStdString();
    read(member(json, "oscHost"), host, maxHostLength);
    outputs.oscHost = juce::String::fromUTF8(host.c_str());
    read(member(json, "oscPort"), outputs.oscPort, 1, 65535);
    read(member(json, "oscActivation"), outputs.oscActivation);
    std::string instance;
    read(member(json, "instance"), instance, maxHostLength);
    outputs.instance = juce::String::fromUTF8(instance.c_str());
    const Json& notes = member(json, "midi");
    if (!notes.is_array()) return;
    for (std::size_t i = 0; i < std::min(notes.size(), maxEntries); ++i) {
        int classIndex = -1;
        formats::MidiNote note{-1, -1};
        read(member(notes[i], "class"), classIndex, -1, maxClasses);
        read(member(notes[i], "note"), note.note, -1, 127);
        read(member(notes[i], "channel"), note.channel, -1, 16);
        std::string name;
        read(member(notes[i], "name"), name, maxNameLength);
        if (classIndex >= 0 && note.note >= 0 && note.channel >= 1)
            outputs.midi.set({classIndex, name}, note);
    }
}

void read(const Json& json, ui::ViewSettings& view) {
    read(member(json, "classThresholds"), view.classThresholds, 0.0, 1.0);
    read(member(json, "byConfidence"), view.byConfidence);
    read(member(json, "clock"), view.clock);
    read(member(json, "pinned"), view.pinned);
    read(member(json, "hidden"), view.hidden);
    read(member(json, "solo"), view.solo);
    read(member(json, "preset"), view.preset, maxNameLength);
    read(member(json, "quietLanes"), view.quietLanes);
    read(member(json, "historyMegabytes"), view.historyMegabytes, minHistory, maxHistory);
    const Json& shown = member(json, "view");
    read(member(shown, "visibleSeconds"), view.visibleSeconds, minView, maxView);
    read(member(shown, "spectrogramShare"), view.spectrogramShare, 0.0, 1.0);
    read(member(shown, "minHertz"), view.minHertz, 0.0, maxHertz);
    read(member(shown, "maxHertz"), view.maxHertz, 0.0, maxHertz);
    read(member(shown, "contrast"), view.contrast, -1, 1);
    read(member(shown, "width"), view.width, minWidth, maxSide);
    read(member(shown, "height"), view.height, minHeight, maxSide);
    std::string theme;
    read(member(shown, "theme"), theme, maxNameLength);
    if (theme == "light") view.theme = ui::ThemeChoice::light;
    if (theme == "dark") view.theme = ui::ThemeChoice::dark;
}

} // namespace

namespace {

Json jsonOf(const WordsState& state) {
    Json list = Json::array();
    for (const ui::Word& word : state.words)
        list.push_back({{"id", word.id}, {"text", word.text}, {"name", word.name}});
    Json vectors = Json::object();
    for (const auto& [text, vector] : state.vectors) vectors[text] = base64(vector);
    return {{"joins", state.joins}, {"space", state.space}, {"vectors", vectors}, {"list", list}};
}

// The weights in the form that a model file has them in, which is float16 as a rule.
Json jsonOf(const teaching::TaughtSound& sound) {
    Json json = {{"name", sound.name},
                 {"threshold", static_cast<double>(sound.threshold)},
                 {"bias", static_cast<double>(sound.row.bias)}};
    if (sound.boxBias) json["boxBias"] = static_cast<double>(*sound.boxBias);
    const auto isHalf = [](float weight) { return fromFloat16(toFloat16(weight)) == weight; };
    if (!std::ranges::all_of(sound.row.weights, isHalf)) {
        json["float32"] = base64(sound.row.weights);
        return json;
    }
    std::vector<std::uint16_t> halves(sound.row.weights.size());
    std::ranges::transform(sound.row.weights, halves.begin(), toFloat16);
    json["float16"] = base64(halves);
    return json;
}

Json jsonOf(const teaching::TaughtPart& part) {
    Json sounds = Json::array();
    for (const teaching::TaughtSound& sound : part.sounds) sounds.push_back(jsonOf(sound));
    return {{"classes", part.note.classes},   {"model", part.note.model}, {"base", part.note.base},
            {"examples", part.note.examples}, {"licence", part.licence},  {"sounds", sounds}};
}

std::string textOf(const Json& json) {
    // Replace invalid UTF-8, so that such a path does not make the whole state fail.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Puts into `theirs` what `mine` changed. depth: how many levels of objects are merged.
void merge(const Json& before, const Json& mine, Json& theirs, int depth) {
    if (depth == 0 || !before.is_object() || !mine.is_object() || !theirs.is_object()) {
        theirs = mine;
        return;
    }
    for (const auto& [name, value] : mine.items()) {
        const bool isWhole = name == "model" || name == "words";
        const Json& former = member(before, name.c_str());
        if (value != former) merge(former, value, theirs[name], isWhole ? 0 : depth - 1);
    }
    for (const auto& [name, value] : before.items())
        if (!mine.contains(name)) theirs.erase(name);
}

} // namespace

std::string toJson(const PluginState& state) {
    // Begin with an object. A null that turns into an object cannot be destroyed if the allocation fails.
    Json json = Json::object();
    json["earshot"] = version;
    json["parameters"] = state.parameters;
    if (!state.model.file.empty())
        json["model"] = {
            {"path", state.model.file.string()}, {"sha256", state.model.sha256}, {"name", state.model.name}};
    if (!state.model.file.empty() && state.model.taught)
        json["model"]["taught"] = jsonOf(*state.model.taught);
    if (state.words != WordsState{}) json["words"] = jsonOf(state.words);
    json["classThresholds"] = state.view.classThresholds;
    json["byConfidence"] = state.view.byConfidence;
    json["clock"] = state.view.clock;
    json["pinned"] = state.view.pinned;
    json["hidden"] = state.view.hidden;
    json["solo"] = state.view.solo;
    json["preset"] = state.view.preset;
    json["quietLanes"] = state.view.quietLanes;
    json["historyMegabytes"] = state.view.historyMegabytes;
    json["view"] = {{"visibleSeconds", state.view.visibleSeconds},
                    {"theme", state.view.theme == ui::ThemeChoice::light ? "light" : "dark"},
                    {"spectrogramShare", state.view.spectrogramShare},
                    {"minHertz", state.view.minHertz},
                    {"maxHertz", state.view.maxHertz},
                    {"contrast", state.view.contrast},
                    {"width", state.view.width},
                    {"height", state.view.height}};
    Json notes = Json::array();
    for (const auto& [name, changed] : state.outputs.midi.changedByName())
        notes.push_back({{"class", changed.number},
                         {"name", name},
                         {"note", changed.note.note},
                         {"channel", changed.note.channel}});
    for (const auto& [number, note] : state.outputs.midi.changed())
        notes.push_back({{"class", number}, {"note", note.note}, {"channel", note.channel}});
    json["outputs"] = {{"osc", state.outputs.osc},
                       {"oscHost", state.outputs.oscHost.toStdString()},
                       {"oscPort", state.outputs.oscPort},
                       {"oscActivation", state.outputs.oscActivation},
                       {"instance", state.outputs.instance.toStdString()},
                       {"midi", notes}};
    json["monitorsInput"] = state.monitorsInput;
    std::string whole = textOf(json);
    const auto shorten = [&](const char* object, const char* part) {
        if (whole.size() <= PluginState::maxBytes || !json.contains(object)) return;
        json[object].erase(part);
        whole = textOf(json);
    };
    shorten("words", "vectors");
    shorten("model", "taught");
    return whole;
}

std::optional<PluginState> stateFromJson(std::string_view text) {
    // Some hosts append zeros.
    while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
    if (text.size() > PluginState::maxBytes) return std::nullopt;
    const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
    if (!json.is_object() || !member(json, "earshot").is_number()) return std::nullopt;
    PluginState state;
    constexpr double anyNumber = 1e6; // each parameter applies its own range later
    read(member(json, "parameters"), state.parameters, -anyNumber, anyNumber);
    read(member(json, "model"), state.model);
    read(member(json, "words"), state.words);
    read(json, state.view);
    read(member(json, "outputs"), state.outputs);
    read(member(json, "monitorsInput"), state.monitorsInput);
    return state;
}

std::string mergedState(const std::string& before, const std::string& mine, const std::string& theirs) {
    const auto parse = [](const std::string& text) { return Json::parse(text, nullptr, false); };
    Json merged = parse(theirs);
    const Json former = parse(before);
    if (!merged.is_object() || !former.is_object()) return mine;
    merge(former, parse(mine), merged, 2);
    std::string text = textOf(merged);
    return text.size() <= PluginState::maxBytes ? text : mine;
}

} // namespace earshot::plugin
