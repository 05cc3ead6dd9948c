#include "Plugin/Teach/LessonModels.h"

#include "Cli/NamedModel.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <filesystem>

using namespace earshot;

TEST_CASE("a lesson writes over no model and no card that is not a lesson's", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto place = [&] { return plugin::placeFor(folder.path(), "birds"); };
    CHECK(place() == folder / "birds-taught.safetensors");
    CHECK(plugin::cardOf(place()) == folder / "birds-taught.md");
    test::writeNamedModel(folder / "birds-taught.safetensors", {"Blackbird"});
    CHECK(place() == folder / "birds-taught-2.safetensors");
    test::writeBytes(folder / "birds-taught-2.safetensors", "no model");
    CHECK(place() == folder / "birds-taught-3.safetensors");
    test::writeBytes(folder / "birds-taught-3.md", "notes");
    CHECK(place() == folder / "birds-taught-4.safetensors");
}
