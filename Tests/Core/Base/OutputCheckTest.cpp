#include "Core/Base/OutputCheck.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Skip.h"

#include <filesystem>
#include <vector>

using namespace earshot;
namespace fs = std::filesystem;

namespace {

// A symbolic link, where the system has them: Wine has none.
bool linked(const fs::path& target, const fs::path& link) {
    std::error_code failure;
    fs::create_symlink(target, link, failure);
    if (failure == std::errc::function_not_supported) {
        test::skip("no symbolic links here");
        return false;
    }
    REQUIRE_FALSE(failure);
    return true;
}

} // namespace

TEST_CASE("an output that is an input is found under any name", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto model = folder / "model";
    test::writeBytes(model, "weights");
    fs::create_hard_link(model, folder / "hard");
    std::vector<const char*> names = {"model", "hard", "./model"};
    if (linked("model", folder / "soft") && linked(folder.path(), folder / "round"))
        names.insert(names.end(), {"soft", "round/model", "./round/./model"});
    for (const char* name : names) {
        CAPTURE(name);
        OutputCheck files;
        files.writes(folder.path() / name);
        files.reads(folder / "absent", "a recording");
        files.reads(model, "the model");
        const auto clash = files.clash();
        REQUIRE(clash);
        CHECK(clash->output == folder.path() / name);
        CHECK(clash->input == model);
        CHECK(clash->what == "the model");
    }
}

TEST_CASE("outputs that hold something are told, others are not", "[unit]") {
    const test::TemporaryDirectory folder;
    test::writeBytes(folder / "full", "x");
    test::writeBytes(folder / "empty", "");
    OutputCheck files;
    for (const char* name : {"full", "empty", "absent", "no folder/absent"}) files.writes(folder / name);
    for (int i = 0; i < 2; ++i) files.writes("/dev/null");
    files.reads("/dev/null", "the list");
    files.reads(folder / "other", "a recording");
    CHECK_FALSE(files.clash());
    CHECK(files.occupied() == std::vector<fs::path>{folder / "full"});
}

TEST_CASE("two outputs that would be one file are found", "[unit]") {
    const test::TemporaryDirectory folder;
    if (!linked(folder.path(), folder / "round")) return;
    for (const bool there : {false, true}) {
        if (there) test::writeBytes(folder / "a", "x");
        OutputCheck files;
        files.writes(folder / "a");
        files.writes(folder / "b");
        CHECK_FALSE(files.clash());
        files.writes(folder.path() / "round" / "a");
        REQUIRE(files.clash());
        CHECK(files.clash()->input == folder / "a");
    }
}
