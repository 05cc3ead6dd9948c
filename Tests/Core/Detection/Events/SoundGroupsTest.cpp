#include "Core/Detection/Events/SoundGroups.h"

#include "Core/Detection/Events/Labels.h"
#include "Support/Catch.h"

#include <set>
#include <string>

using namespace earshot::detection;

TEST_CASE("a sound's groups come widest first, whatever its case", "[unit]") {
    REQUIRE(groupsOf("Dog") == "Animal; Domestic animals, pets");
    REQUIRE(groupsOf("dOG") == "Animal; Domestic animals, pets");
    REQUIRE(groupsOf("Bark") == "Animal; Domestic animals, pets; Dog");
    REQUIRE(groupsOf("Male speech, man speaking") == "Human sounds; Human voice; Speech");
    // Belongs to two groups.
    REQUIRE(groupsOf("Children shouting").find("Human voice") != std::string_view::npos);
    REQUIRE(groupsOf("Children shouting").find("Human group actions") != std::string_view::npos);
}

TEST_CASE("a sound's family is its widest group", "[unit]") {
    REQUIRE(familyOf("Speech") == SoundFamily::people);
    REQUIRE(familyOf("BARK") == SoundFamily::animals);
    REQUIRE(familyOf("Animal") == SoundFamily::animals);
    REQUIRE(familyOf("Music") == SoundFamily::music);
    REQUIRE(familyOf("Rain on surface") == SoundFamily::nature);
    REQUIRE(familyOf("Chainsaw") == SoundFamily::things);
    REQUIRE(familyOf("Scrape") == SoundFamily::unplaced);
    REQUIRE(familyOf("My kettle") == SoundFamily::unplaced);
    REQUIRE(familyOf("") == SoundFamily::unplaced);
    REQUIRE(familyName(SoundFamily::animals) == "Animals");
    REQUIRE(familyName(SoundFamily::unplaced) == "Other");
}

TEST_CASE("the default model's own names are in groups, too", "[unit]") {
    REQUIRE(groupsOf("Rooster") ==
            "Animal; Livestock, farm animals, working animals; Fowl; Chicken, rooster; "
            "Crowing, cock-a-doodle-doo");
    REQUIRE(familyOf("Baby cry") == SoundFamily::people);
    REQUIRE(familyOf("Kick drum") == SoundFamily::music);
    REQUIRE(familyOf("Sea waves") == SoundFamily::nature);
}

TEST_CASE("names that AudioSet does not have are in no group", "[unit]") {
    for (const char* name : {"", "label", "Dog ", "class 3", "Do", "caf\xe9"}) {
        CAPTURE(name);
        REQUIRE(groupsOf(name).empty());
    }
}

TEST_CASE("every AudioSet class is in a group, or is one", "[unit]") {
    std::set<std::string> widest;
    for (const auto& label : audioSetLabels()) {
        const auto groups = groupsOf(label);
        if (groups.empty())
            widest.insert(label);
        else
            REQUIRE(groups.find("; ;") == std::string_view::npos);
    }
    REQUIRE(widest == std::set<std::string>{"Animal", "Music"});
    // A group that is no class itself.
    REQUIRE(groupsOf("Human voice") == "Human sounds");
}
