// The file of the user's own presets.
#include "Plugin/Base/UserPresets.h"

#include "ProcessorRig.h"
#include "Support/Catch.h"

#include <string>
#include <vector>

using namespace earshot;
using plugin::UserPresets;

namespace {

const ui::Preset night{"Night \"walk\"", {1.5f, 0.25f, 0.8f}, {"Vögel", "Owl"}, {}};
const ui::Preset street{"Street", {-2.0f, 0.0f, 3.0f}, {}, {"Car"}};

juce::StringArray lines() {
    juce::StringArray all;
    UserPresets::file().readLines(all);
    all.removeEmptyStrings();
    return all;
}

std::vector<std::string> names(ui::PresetControl& presets) {
    std::vector<std::string> all;
    for (const auto& preset : presets.own()) all.push_back(preset.name);
    return all;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("presets are stored for all instances, replaced by name, renamed and removed", "[unit]") {
    const test::HomeEnvironment home;
    UserPresets presets, other;
    CHECK(presets.own().empty());
    CHECK_FALSE(UserPresets::file().exists()); // nothing was saved
    CHECK(presets.save(night).isEmpty());
    CHECK(other.save(street).isEmpty());
    CHECK(presets.own() == std::vector{night}); // as it last looked
    presets.look();
    CHECK(presets.own() == std::vector{night, street});
    auto louder = night;
    louder.rules.sensitivity = 2.0f;
    CHECK(presets.save(louder).isEmpty());
    CHECK(presets.own() == std::vector{louder, street});
    CHECK(presets.rename("Street", "Road").isEmpty());
    CHECK(presets.rename("Road", night.name).contains("already"));
    CHECK(presets.rename("Street", "Lane").contains("gone"));
    CHECK(presets.remove(night.name).isEmpty());
    CHECK(names(presets) == Names{"Road"});
    CHECK(UserPresets::file().getParentDirectory().getNumberOfChildFiles(juce::File::findFiles) == 1);
}

TEST_CASE("a damaged line costs no other preset, and stays", "[unit]") {
    const test::HomeEnvironment home;
    UserPresets presets;
    REQUIRE(presets.save(night).isEmpty());
    REQUIRE(presets.save(street).isEmpty());
    const auto whole = lines();
    const std::vector<std::string> damages{
        "{\"name\": \"Night",
        "\xff\xfe\x01",
        "[]",
        "{}",
        "null",
        R"({"name": "X", "sensitivity": "1", "shortest": 0, "join": 0, "solo": [], "hidden": []})",
        R"({"name": "X", "sensitivity": 1e999, "shortest": 0, "join": 0, "solo": [], "hidden": []})",
        R"({"name": "", "sensitivity": 1, "shortest": 0, "join": 0, "solo": [], "hidden": []})",
        R"({"name": "X", "sensitivity": 1, "shortest": 0, "join": 0, "solo": [1], "hidden": []})"};
    for (const auto& damage : damages) {
        CAPTURE(damage);
        const auto text = whole[0].toStdString() + "\n" + damage + "\n" + whole[1].toStdString() + "\n";
        REQUIRE(UserPresets::file().replaceWithData(text.data(), text.size()));
        presets.look();
        CHECK(presets.own() == std::vector{night, street});
        REQUIRE(presets.remove("Street").isEmpty());
        CHECK(names(presets) == Names{night.name});
        const auto stored = UserPresets::file().loadFileAsString();
        juce::MemoryBlock bytes;
        REQUIRE(UserPresets::file().loadFileAsData(bytes));
        CHECK(std::string(static_cast<const char*>(bytes.getData()), bytes.getSize()).find(damage) !=
              std::string::npos);
    }
    // Numbers out of range are limited, and unknown members are no fault.
    const std::string other =
        R"({"name": "X", "sensitivity": 1e30, "shortest": -1, "join": 99, "solo": [], "hidden": [], "new": 1})";
    REQUIRE(UserPresets::file().replaceWithData(other.data(), other.size()));
    presets.look();
    CHECK(presets.own() == std::vector{ui::Preset{"X", {6.0f, 0.0f, 10.0f}, {}, {}}});
}

TEST_CASE("where presets cannot be read or written, they say so and lose nothing", "[unit]") {
    const test::HomeEnvironment home;
    UserPresets presets;
    REQUIRE(presets.save(night).isEmpty());
    const juce::File file = UserPresets::file();
    REQUIRE(file.moveFileTo(file.getSiblingFile("aside")));
    REQUIRE(file.createDirectory().wasOk());
    const auto why = presets.save(street);
    CHECK(why.startsWith("The presets could not be saved: "));
    CHECK(why.contains("presets.jsonl"));
    CHECK(names(presets) == Names{night.name});
    presets.look();
    CHECK(names(presets) == Names{night.name}); // as last seen
    REQUIRE(file.deleteRecursively());

    juce::MemoryBlock large(9 << 20, true);
    large.fillWith('x');
    REQUIRE(file.replaceWithData(large.getData(), large.getSize()));
    CHECK(presets.save(street).contains("too large"));
    CHECK(file.getSize() == static_cast<juce::int64>(large.getSize()));
}

TEST_CASE("there are at most 500 presets of one's own", "[unit]") {
    const test::HomeEnvironment home;
    juce::String text;
    for (int i = 0; i < 500; ++i)
        text << R"({"name": ")" << i
             << R"(", "sensitivity": 0, "shortest": 0, "join": 0, "solo": [], "hidden": []})"
             << "\n";
    REQUIRE(UserPresets::file().create().wasOk());
    REQUIRE(UserPresets::file().replaceWithText(text));
    UserPresets presets;
    CHECK(presets.own().size() == UserPresets::maxPresets);
    CHECK(presets.save(street).contains("delete one first"));
    CHECK(presets.remove("17").isEmpty());
    CHECK(presets.save(street).isEmpty());
    CHECK(presets.own().size() == UserPresets::maxPresets);
}
