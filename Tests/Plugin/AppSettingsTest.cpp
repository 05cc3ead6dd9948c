// The desktop app's settings: stored soon, by several apps at once, and never in place of what cannot be
// read.
#include "Plugin/App/AppSettings.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <juce_data_structures/juce_data_structures.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

using namespace earshot;
using plugin::AppSettings;

namespace {

constexpr const char* place = "windowPlace";

struct Folder {
    juce::File file() const {
        return juce::File(juce::String(folder.path().string())).getChildFile("Earshot/Earshot.settings");
    }
    int files() const { return file().getParentDirectory().getNumberOfChildFiles(juce::File::findFiles); }

    test::TemporaryDirectory folder;
};

// An app that has begun with what is stored.
struct App {
    explicit App(const juce::File& file)
        : settings(file)
        , state(plugin::stateFromJson(settings.storedState()).value_or(plugin::PluginState())) {
        settings.begin(state);
    }
    void wait(int seconds) {
        for (int i = 0; i < seconds; ++i) {
            settings.set(state);
            settings.follow();
        }
    }

    AppSettings settings;
    plugin::PluginState state;
};

} // namespace

TEST_CASE("an app's settings are stored a few seconds after the last change", "[unit]") {
    const Folder folder;
    App app(folder.file());
    app.wait(10);
    CHECK_FALSE(folder.file().exists()); // nothing was changed
    app.state.view.pinned = {"Dog"};
    app.wait(AppSettings::rest - 1);
    app.settings.set(place, "30 40");
    app.wait(AppSettings::rest - 1);
    CHECK_FALSE(folder.file().exists());
    app.wait(1);
    CHECK(App(folder.file()).state == app.state);
    CHECK(App(folder.file()).settings.get(place) == "30 40");
    app.state.model = {"/models/birds.safetensors", std::string(64, 'a'), "birds"};
    app.wait(10);
    CHECK(App(folder.file()).state == app.state);
    CHECK(app.settings.problem().isEmpty());
    CHECK(folder.files() == 1);
    // Whoever deletes the file while an app runs loses nothing of it.
    REQUIRE(folder.file().deleteFile());
    app.state.view.width = 900;
    app.wait(5);
    CHECK(App(folder.file()).state == app.state);
    CHECK(App(folder.file()).settings.get(place) == "30 40");
}

TEST_CASE("two apps keep what each has changed", "[unit]") {
    const Folder folder;
    {
        App first(folder.file());
        first.state.words.words = {{1, "rain", "Rain"}};
        first.state.parameters = {{"threshold", 0.4f}, {"hold", 1.0f}};
        first.state.view.pinned = {"Dog"};
        first.wait(5);
    }
    App one(folder.file());
    App other(folder.file());
    one.state.words.words = {{1, "rain", "Rain"}, {2, "wind", "Wind"}};
    one.state.parameters["threshold"] = 0.6f;
    one.state.view.classThresholds = {{"Dog", 0.3f}};
    one.settings.set(place, "1 2");
    one.wait(5);
    other.state.parameters["hold"] = 2.0f;
    other.state.view.classThresholds = {{"Cat", 0.2f}};
    other.state.view.pinned.clear();
    other.settings.set("audioSetup", "<DEVICESETUP/>");
    other.wait(5);
    one.state.model = {"/models/birds.safetensors", std::string(64, 'a'), "birds"};
    one.wait(5);

    const App later(folder.file());
    auto expected = one.state;
    expected.parameters["hold"] = 2.0f;
    expected.view.classThresholds["Cat"] = 0.2f;
    expected.view.pinned.clear();
    CHECK(later.state == expected);
    CHECK(later.settings.get(place) == "1 2");
    CHECK(later.settings.get("audioSetup") == "<DEVICESETUP/>");
    // A change that was taken back is none; what was taken away stays away.
    one.state.words = {};
    one.wait(5);
    CHECK(App(folder.file()).state.words.words.empty());
}

TEST_CASE("what a newer version stored stays", "[unit]") {
    const Folder folder;
    {
        nlohmann::json json = nlohmann::json::parse(plugin::toJson({}));
        json["earshot"] = 99;
        json["view"]["depth"] = 3;
        json["holograms"] = {{"on", true}};
        const std::string text = json.dump();
        // As versions before this one wrote it.
        juce::PropertiesFile stored(folder.file(), {});
        stored.setValue("state", juce::MemoryBlock(text.data(), text.size()).toBase64Encoding());
        const juce::XmlElement setup("DEVICESETUP");
        stored.setValue("audioSetup", &setup);
        REQUIRE(stored.save());
    }
    App app(folder.file());
    CHECK(juce::parseXML(app.settings.get("audioSetup")) != nullptr);
    app.state.view.width = 900;
    app.wait(5);
    const App later(folder.file());
    CHECK(later.state == app.state);
    CHECK(juce::parseXML(later.settings.get("audioSetup")) != nullptr);
    const auto json = nlohmann::json::parse(later.settings.storedState());
    CHECK(json["earshot"] == 99);
    CHECK(json["view"]["depth"] == 3);
    CHECK(json["view"]["width"] == 900);
    CHECK(json["holograms"]["on"] == true);
}

TEST_CASE("settings that cannot be read are moved aside", "[unit]") {
    const Folder folder;
    const auto keeps = [&](const juce::String& text) {
        const int before = folder.files();
        REQUIRE(folder.file().replaceWithText(text));
        App app(folder.file());
        CHECK(app.state == plugin::PluginState());
        app.state.view.width = 900;
        app.wait(5);
        app.state.view.height = 500;
        app.wait(5);
        CHECK(App(folder.file()).state == app.state);
        CHECK(app.settings.problem().contains(".unreadable"));
        int kept = 0;
        for (const auto& file :
             folder.file().getParentDirectory().findChildFiles(juce::File::findFiles, false))
            kept += file.loadFileAsString() == text;
        CHECK(kept == 1);
        CHECK(folder.files() == before + 2);
    };
    folder.file().getParentDirectory().createDirectory();
    keeps("no settings");
    folder.file().deleteFile();
    keeps("<PROPERTIES><VALUE name=\"state\" val=\"damaged\"/></PROPERTIES>");
}

TEST_CASE("settings that cannot be stored are stored when they can", "[unit]") {
    const Folder folder;
    const auto obstacle = folder.file().getParentDirectory();
    REQUIRE(obstacle.replaceWithText("a file in the folder's place"));
    App app(folder.file());
    app.state.view.width = 900;
    app.wait(5);
    CHECK(app.settings.problem().contains("The settings could not be saved"));
    CHECK(app.settings.problem().contains(obstacle.getFullPathName()));
    app.state.view.height = 500;
    REQUIRE(obstacle.deleteFile());
    app.wait(5);
    CHECK(app.settings.problem().isEmpty());
    CHECK(App(folder.file()).state == app.state);
}
