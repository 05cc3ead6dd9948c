#include "Core/Detection/Events/Presets.h"

#include "Core/Detection/Events/Rules.h"
#include "Support/Catch.h"

#include <algorithm>
#include <set>
#include <string>

using namespace earshot::detection;

namespace {

const Preset& preset(std::string_view name) {
    const auto found = std::ranges::find(presets(), name, &Preset::name);
    REQUIRE(found != presets().end());
    return *found;
}

} // namespace

TEST_CASE("built-in presets have names of their own, and rules within the limits", "[unit]") {
    std::set<std::string_view> names;
    for (const auto& preset : presets()) {
        CHECK(names.insert(preset.name).second);
        CHECK(std::abs(preset.sensitivity) <= maxSensitivity);
        CHECK(preset.minDuration >= 0.0);
        CHECK(preset.mergeGap >= 0.0);
        CHECK(std::max(preset.minDuration, preset.mergeGap) <= 10.0); // as the parameters have it
    }
    CHECK(names.size() == 4);
}

TEST_CASE("a preset shows the sounds of its groups, whatever their case", "[unit]") {
    const auto& birds = preset("Field birds");
    CHECK(birds.shows("Bird"));
    CHECK(birds.shows("owl"));
    CHECK(birds.shows("Chirp, tweet"));
    CHECK_FALSE(birds.shows("Dog"));
    CHECK_FALSE(birds.shows("Birdy instrument"));
    CHECK_FALSE(birds.shows(""));
    const auto& dialogue = preset("Dialogue");
    CHECK(dialogue.shows("Speech"));
    CHECK(dialogue.shows("Male speech, man speaking"));
    CHECK(dialogue.shows("Children shouting"));
    CHECK_FALSE(dialogue.shows("Singing"));
    const auto& drums = preset("Drums");
    CHECK(drums.shows("SNARE DRUM"));
    CHECK(drums.shows("Cowbell"));             // of several groups
    CHECK_FALSE(drums.shows("Drum and bass")); // a genre
    const auto& everything = preset("Everything");
    for (const char* name : {"Dog", "My kettle", ""}) CHECK(everything.shows(name));
}
