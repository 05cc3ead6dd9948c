#include "Plugin/State/PluginState.h"

#include "Core/Base/Float16.h"
#include "Support/Catch.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

using namespace earshot;

namespace {

// What seven sounds of this width take is some 100 KB at most.
teaching::TaughtPart somePart(std::mt19937& random, std::size_t sounds, std::size_t width) {
    teaching::TaughtPart part;
    part.note = {82, "earshot-default", std::string(64, 'b'), std::string(64, 'c')};
    part.licence = "private use";
    const bool isHalf = random() % 2 == 0;
    for (std::size_t i = 0; i < sounds; ++i) {
        teaching::TaughtSound sound;
        sound.name = "Taught " + std::to_string(i);
        sound.threshold = 0.4f;
        sound.row.bias = -1.0f - 0.1f * static_cast<float>(random() % 10);
        if (i % 2 == 0) sound.boxBias = 0.3f;
        for (std::size_t k = 0; k < width; ++k)
            sound.row.weights.push_back(static_cast<float>(random() % 2048) / (isHalf ? 1024.0f : 1000.0f));
        part.sounds.push_back(sound);
    }
    return part;
}

plugin::PluginState someState(std::mt19937& random) {
    const auto chance = [&] { return static_cast<float>(random() % 1000) / 1000.0f; };
    plugin::PluginState state;
    for (const char* id : {"threshold", "release", "hold", "mode", "bypass"}) state.parameters[id] = chance();
    if (random() % 2 == 0)
        state.model = {"/models/night-birds.safetensors", std::string(64, 'a'), "night-birds"};
    if (!state.model.file.empty() && random() % 2 == 0) state.model.taught = somePart(random, 2, 6);
    for (const char* name : {"Dog", "Vögel", "\"quoted\"", "Church bell"}) {
        if (random() % 2 == 0) state.view.pinned.insert(name);
        if (random() % 2 == 0) state.view.hidden.insert(name);
        if (random() % 4 == 0) state.view.solo.insert(name);
        if (random() % 2 == 0) state.view.classThresholds[name] = chance();
    }
    state.view.byConfidence = random() % 2 == 0;
    state.view.visibleSeconds = 5.0 + static_cast<double>(chance()) * 1000.0;
    state.view.spectrogramShare = static_cast<double>(chance());
    state.view.quietLanes = random() % 2 == 0;
    state.view.minHertz = static_cast<double>(random() % 1000);
    state.view.maxHertz = static_cast<double>(random() % 20000);
    state.view.contrast = static_cast<int>(random() % 3) - 1;
    state.view.preset = random() % 2 == 0 ? "Drums" : "";
    state.view.theme = random() % 2 == 0 ? ui::ThemeChoice::light : ui::ThemeChoice::dark;
    state.view.width = 640 + static_cast<int>(random() % 2000);
    state.view.height = 360 + static_cast<int>(random() % 1000);
    state.view.historyMegabytes = 16 + static_cast<int>(random() % 2000);
    state.outputs.osc = random() % 2 == 0;
    state.outputs.oscHost = "studio.local";
    state.outputs.oscPort = 1 + static_cast<int>(random() % 65535);
    state.outputs.oscActivation = random() % 2 == 0;
    state.outputs.instance =
        juce::String::fromUTF8("Hörsaal ") + juce::String(static_cast<int>(random() % 10));
    for (int i = 0; i < 5; ++i)
        state.outputs.midi.set(
            {static_cast<int>(random() % 527), i % 2 == 0 ? "" : "Sound " + std::to_string(i)},
            {static_cast<int>(random() % 128), 1 + static_cast<int>(random() % 16)});
    state.monitorsInput = random() % 2 == 0;
    for (int i = 0; i < static_cast<int>(random() % 4); ++i)
        state.words.words.push_back({i * 3 + 1 + static_cast<int>(random() % 3),
                                     "a text " + std::to_string(i),
                                     i == 1 ? "雨の音" : "word " + std::to_string(i)});
    state.words.joins = random() % 2 == 0;
    for (const ui::Word& word : state.words.words) {
        state.words.space = std::string(64, 'b');
        auto& vector = state.words.vectors[word.text];
        for (int i = 0; i < 8; ++i) vector.push_back(static_cast<std::uint16_t>(random()));
    }
    return state;
}

// What must hold of whatever was accepted.
void checkSane(const plugin::PluginState& state) {
    for (const auto& [id, value] : state.parameters) REQUIRE(std::isfinite(value));
    for (const auto& [name, value] : state.view.classThresholds) {
        REQUIRE(value >= 0.0f);
        REQUIRE(value <= 1.0f);
    }
    REQUIRE(state.view.visibleSeconds >= 5.0);
    REQUIRE(state.view.historyMegabytes >= 16);
    REQUIRE(state.view.historyMegabytes <= 65'536);
    REQUIRE(state.view.width >= 640);
    REQUIRE(state.view.height >= 360);
    REQUIRE(state.view.width <= 8192);
    REQUIRE(state.view.height <= 8192);
    REQUIRE(state.outputs.oscPort >= 1);
    REQUIRE(state.outputs.oscPort <= 65535);
    REQUIRE(state.view.pinned.size() <= 5000);
    for (const auto& [classIndex, note] : state.outputs.midi.changed()) {
        REQUIRE(classIndex >= 0);
        REQUIRE(note.note >= 0);
        REQUIRE(note.note <= 127);
        REQUIRE(note.channel >= 1);
        REQUIRE(note.channel <= 16);
    }
    if (state.model.taught) REQUIRE(state.model.taught->valid());
    REQUIRE(state.words.words.size() <= ui::Words::most);
    for (const ui::Word& word : state.words.words) {
        REQUIRE(word.id >= 1);
        REQUIRE(!word.text.empty());
        REQUIRE(!word.name.empty());
    }
}

} // namespace

TEST_CASE("a state, written and read, is the same", "[unit]") {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        const plugin::PluginState state = someState(random);
        REQUIRE(plugin::stateFromJson(plugin::toJson(state)) == state);
        // Some hosts pad what they store.
        REQUIRE(plugin::stateFromJson(plugin::toJson(state) + std::string(3, '\0')) == state);
    }
}

TEST_CASE("an older state has defaults for what it lacks, and a newer one is read as far as it goes",
          "[unit]") {
    REQUIRE(plugin::stateFromJson(R"({"earshot": 1})") == plugin::PluginState());
    const auto newer = plugin::stateFromJson(
        R"({"earshot": 99, "pinned": ["Dog"], "view": {"width": 900, "zoom": {"x": [1]}}, "holograms": true})");
    REQUIRE(newer);
    REQUIRE(newer->view.pinned == std::set<std::string>{"Dog"});
    REQUIRE(newer->view.width == 900);
    REQUIRE(newer->view.height == plugin::PluginState().view.height);
}

TEST_CASE("what is no state is refused", "[unit]") {
    for (const char* text : {"", "{", "null", "[]", "{}", "42", "<xml/>", R"({"earshot": "1"})",
                             R"({"earshot": 1)", R"({"earshot": 1, "view": {"width": NaN}})", "\xff\xfe\x00"})
        REQUIRE_FALSE(plugin::stateFromJson(text));
    REQUIRE_FALSE(plugin::stateFromJson(R"({"earshot": 1, "x": ")" +
                                        std::string(plugin::PluginState::maxBytes, 'x') + "\"}"));
    REQUIRE_FALSE(plugin::stateFromJson(std::string(900'000, '[')));
}

TEST_CASE("values of the wrong kind or out of range do no harm", "[unit]") {
    const auto state = plugin::stateFromJson(R"({"earshot": 1,
        "parameters": {"threshold": null, "release": "x", "hold": 1e30, "": 1},
        "model": {"path": 7, "sha256": ["a"]}, "classThresholds": {"Dog": 1e300, "Cat": -4},
        "pinned": [1, null, "", "Dog", {}], "hidden": "Dog", "byConfidence": "yes",
        "view": {"width": -5, "height": 1e9, "visibleSeconds": 0, "theme": "pink"},
        "outputs": {"osc": 1, "oscPort": 0, "oscHost": {}, "midi": [{"class": 3, "note": 300, "channel": 0}, 5,
                                                                    {"class": -1, "note": 3, "channel": 1}]},
        "monitorsInput": "yes"})");
    REQUIRE(state);
    checkSane(*state);
    REQUIRE(state->model.file.empty());
    REQUIRE(state->view.pinned == std::set<std::string>{"Dog"});
    REQUIRE(state->view.hidden.empty());
    REQUIRE_FALSE(state->view.byConfidence);
    REQUIRE(state->outputs.midi.changed().empty());
    REQUIRE_FALSE(state->monitorsInput);
}

TEST_CASE("a changed note is stored by its sound's name, and an older project has it by number", "[unit]") {
    const auto state = plugin::stateFromJson(R"({"earshot": 1, "outputs": {"midi": [
        {"class": 3, "name": "Dog", "note": 60, "channel": 2}, {"class": 5, "note": 61, "channel": 2},
        {"class": 6, "name": 7, "note": 62, "channel": 2}]}})");
    REQUIRE(state);
    REQUIRE(state->outputs.midi.noteFor({40, "Dog"}) == formats::MidiNote{60, 2});
    REQUIRE(state->outputs.midi.noteFor({3, "Cat"}) == formats::MidiMap::defaultNote(3));
    REQUIRE(state->outputs.midi.noteFor({5, "Cat"}) == formats::MidiNote{61, 2});
    REQUIRE(state->outputs.midi.noteFor({6, "Rain"}) == formats::MidiNote{62, 2});
    // Versions before names know the sound by its number.
    REQUIRE(plugin::toJson(*state).find(R"({"channel":2,"class":3,"name":"Dog","note":60})") !=
            std::string::npos);
}

TEST_CASE("thousands of broken states crash nothing and give sane values", "[slow]") {
    std::mt19937 random(2);
    int accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = plugin::toJson(someState(random));
        for (auto mutations = 1 + random() % 6; mutations > 0; --mutations) {
            const std::size_t at = random() % text.size();
            switch (random() % 6) {
            case 0:
                text[at] = static_cast<char>(random());
                break;
            case 1:
                text.erase(at, 1 + random() % 20);
                break;
            case 2:
                text.insert(at, text.substr(random() % text.size(), random() % 40));
                break;
            case 3:
                text.resize(at + 1);
                break;
            case 4:
                text.insert(at, std::string(1 + random() % 300, "[{\"0-e.9"[random() % 8]));
                break;
            default:
                text.replace(at, 1, std::to_string(static_cast<int>(random())));
                break;
            }
            if (text.empty()) text = "{";
        }
        if (const auto state = plugin::stateFromJson(text)) {
            ++accepted;
            checkSane(*state);
            REQUIRE(plugin::stateFromJson(plugin::toJson(*state)));
        }
    }
    REQUIRE(accepted > 100);
}

TEST_CASE("a project keeps 256 words with their vectors, and never more than it can read", "[unit]") {
    plugin::PluginState state;
    state.words.space = std::string(64, 'c');
    for (int id = 1; id <= 256; ++id) {
        const auto text = "a sound that is called number " + std::to_string(id);
        state.words.words.push_back({id, text, text});
        state.words.vectors[text] = detection::TextVectors::Vector(1024, 0x3c01);
    }
    const auto json = plugin::toJson(state);
    CHECK(json.size() <= plugin::PluginState::maxBytes);
    CHECK(plugin::stateFromJson(json) == state);
    // Longer ones go without their vectors, which can be made again.
    for (auto& [text, vector] : state.words.vectors) vector.resize(2048);
    const auto shorter = plugin::toJson(state);
    CHECK(shorter.size() <= plugin::PluginState::maxBytes);
    const auto read = plugin::stateFromJson(shorter);
    REQUIRE(read);
    CHECK(read->words.words == state.words.words);
    CHECK(read->words.vectors.empty());
}

TEST_CASE("a project keeps what was taught, in 150 KB for seven sounds of the widest models", "[unit]") {
    std::mt19937 random(3);
    plugin::PluginState state;
    state.model = {"/models/mine-taught.safetensors", std::string(64, 'a'), "mine-taught"};
    state.model.taught = somePart(random, 7, 768 * 6);
    for (auto& sound : state.model.taught->sounds)
        for (float& weight : sound.row.weights) weight = fromFloat16(toFloat16(weight)); // as a file has them
    const auto json = plugin::toJson(state);
    CHECK(json.size() < 150'000);
    CHECK(plugin::stateFromJson(json) == state);
    // Beside it, words go without their vectors first.
    for (int id = 1; id <= 256; ++id) {
        const auto text = "a sound that is called number " + std::to_string(id);
        state.words.words.push_back({id, text, text});
        state.words.vectors[text] = detection::TextVectors::Vector(2048, 0x3c01);
    }
    state.words.space = std::string(64, 'c');
    auto read = plugin::stateFromJson(plugin::toJson(state));
    REQUIRE(read);
    CHECK(read->words.vectors.empty());
    CHECK(read->model == state.model);
    // What is too much is left out, and the file is still named.
    state.model.taught = somePart(random, 256, 768 * 6);
    const auto shorter = plugin::toJson(state);
    CHECK(shorter.size() <= plugin::PluginState::maxBytes);
    read = plugin::stateFromJson(shorter);
    REQUIRE(read);
    CHECK_FALSE(read->model.taught);
    CHECK(read->model.file == state.model.file);
    CHECK(read->words.words == state.words.words);
}

TEST_CASE("what a stranger's project says was taught is whole, or it is nothing", "[unit]") {
    using Json = nlohmann::json;
    std::mt19937 random(4);
    plugin::PluginState state;
    state.model = {"/models/mine-taught.safetensors", std::string(64, 'a'), "mine-taught"};
    state.model.taught = somePart(random, 3, 6);
    const Json good = Json::parse(plugin::toJson(state));
    const auto readChanged = [&](auto&& change) {
        Json json = good;
        change(json["model"]["taught"]);
        const auto read = plugin::stateFromJson(json.dump());
        REQUIRE(read);
        CHECK(read->model.file == state.model.file);
        return read->model.taught.has_value();
    };
    CHECK(readChanged([](Json&) {}));
    CHECK_FALSE(readChanged([](Json& taught) { taught = 5; }));
    CHECK_FALSE(readChanged([](Json& taught) { taught["sounds"] = "many"; }));
    CHECK_FALSE(readChanged([](Json& taught) { taught["sounds"] = Json::array(); }));
    CHECK_FALSE(readChanged([](Json& taught) { taught["sounds"].push_back(7); }));
    CHECK_FALSE(
        readChanged([](Json& taught) { taught["sounds"] = Json::array_t(257, taught["sounds"][0]); }));
    CHECK_FALSE(readChanged([](Json& taught) { taught["sounds"][1]["name"] = "a;b"; }));
    CHECK_FALSE(readChanged([](Json& taught) { taught["sounds"][1]["name"] = std::string(501, 'x'); }));
    CHECK_FALSE(readChanged([](Json& taught) { taught["classes"] = -4; }));
    CHECK_FALSE(readChanged([](Json& taught) { taught.erase("base"); }));
    CHECK_FALSE(readChanged([](Json& taught) { taught["licence"] = std::string(10'001, 'x'); }));
    CHECK_FALSE(readChanged([](Json& taught) { taught["model"] = std::string(501, 'x'); }));
    for (const char* form : {"float16", "float32"}) {
        const auto readWeights = [&](const Json& weights) {
            return readChanged([&](Json& taught) {
                Json& sound = taught["sounds"][1];
                sound.erase("float16");
                sound.erase("float32");
                if (!weights.is_null()) sound[form] = weights;
            });
        };
        CHECK_FALSE(readWeights(nullptr));
        CHECK_FALSE(readWeights("no base 64!"));
        CHECK_FALSE(readWeights("AAAAAAAAAAA=")); // other numbers than six
        CHECK_FALSE(readWeights(4));
    }
    CHECK_FALSE(readChanged([](Json& taught) { // the last of six floats is infinite
        Json& sound = taught["sounds"][1];
        sound.erase("float16");
        sound["float32"] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAIB/";
    }));
    CHECK(readChanged([](Json& taught) { // and here it is 1
        Json& sound = taught["sounds"][1];
        sound.erase("float16");
        sound["float32"] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA/";
    }));
}

TEST_CASE("words from a stranger's project are clean, and each has a name and a number of its own",
          "[unit]") {
    const auto read = plugin::stateFromJson(R"({"earshot": 1, "words": {"joins": 3, "space": ["x"],
        "vectors": {"rain": "no base 64!", "dog": 4, "cat": "AQA=", "none": ""},
        "list": [{"id": 1, "text": "rain\u001b[31m"}, {"id": 1, "text": "same number"},
                 {"id": 2, "text": "other", "name": "rain?[31m"}, {"id": 0, "text": "no number"},
                 {"id": 4, "text": ""}, {"id": 5}, "six", {"id": 7, "text": "dog", "name": "Dog"}]}})");
    REQUIRE(read);
    CHECK(read->words.words == std::vector<ui::Word>{{1, "rain?[31m", "rain?[31m"}, {7, "dog", "Dog"}});
    CHECK(!read->words.joins);
    CHECK(read->words.vectors.size() == 1);
    CHECK(read->words.vectors.at("cat") == detection::TextVectors::Vector{1});
}
