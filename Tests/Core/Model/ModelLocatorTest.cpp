#include "Core/Model/ModelLocator.h"

#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Environment.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

using namespace earshot;
namespace fs = std::filesystem;

namespace {

constexpr const char* name = "earshot-default.safetensors";

void require(const fs::path& root, const std::string& binary, const std::string& models) {
    CAPTURE(binary, models);
    fs::create_directories(root / binary);
    fs::create_directories(root / models);
    test::writeBytes(root / models / name, "model");
    REQUIRE(model::defaultModelIn(root / binary, "") == root / models / name);
    fs::remove(root / models / name);
    REQUIRE_THROWS_AS(model::defaultModelIn(root / binary, ""), Error);
}

} // namespace

TEST_CASE("the default model is found wherever program and plugin were put", "[unit]") {
    const test::TemporaryDirectory directory;
    const fs::path root = directory / "opt";
    require(root, "build/bin", "build/bin/Models");
    require(root, "portable", "portable");
    require(root, "prefix/bin", "prefix/share/earshot/Models");
    require(root, "Earshot.vst3/Contents/x86_64-linux", "Earshot.vst3/Contents/Resources");
    require(root, "Earshot.app/Contents/MacOS", "Earshot.app/Contents/Resources");
    require(root, "Earshot.lv2", "Earshot.lv2/Models");
    require(root, "p1/lib/vst3/Earshot.vst3/Contents/x86_64-linux", "p1/share/earshot/Models");
    require(root, "p2/lib/x86_64-linux-gnu/vst3/Earshot.vst3/Contents/x86_64-linux",
            "p2/share/earshot/Models");
    require(root, "p3/lib/lv2/Earshot.lv2", "p3/share/earshot/Models");
}

TEST_CASE("what lies nearest to the binary is the default model", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto binary = directory / "prefix/lib/vst3/Earshot.vst3/Contents/x86_64-linux";
    auto folders = model::modelFoldersOf(binary);
    std::ranges::reverse(folders);
    for (const fs::path& folder : folders) {
        if (!folder.string().starts_with(directory.path().string())) continue;
        fs::create_directories(folder);
        test::writeBytes(folder / name, "model");
        REQUIRE(model::defaultModelIn(binary, "") == folder / name);
    }
}

TEST_CASE("the demo recording is found beside the folder of the models", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto binary = directory / "prefix/bin";
    REQUIRE(model::demoRecordingOf(binary) == std::nullopt);
    fs::create_directories(directory / "prefix/share/earshot");
    test::writeBytes(directory / "prefix/share/earshot/demo.flac", "audio");
    REQUIRE(model::demoRecordingOf(binary) == directory / "prefix/share/earshot/demo.flac");
    fs::create_directories(binary);
    test::writeBytes(binary / "demo.flac", "audio"); // of a build, which is nearer
    REQUIRE(model::demoRecordingOf(binary) == binary / "demo.flac");
}

TEST_CASE("a default model that is missing says where it was looked for and what to do", "[unit]") {
    const test::TemporaryDirectory directory;
    REQUIRE_THROWS_WITH(model::defaultModelIn(directory / "bin", "ask a friend"),
                        ContainsSubstring((directory / "bin" / "Models" / name).string()) &&
                            ContainsSubstring("share/earshot/Models") && ContainsSubstring("; ask a friend"));
    for (const char* odd : {"", "/", "relative", "."}) REQUIRE_NOTHROW(model::modelFoldersOf(odd));
}

TEST_CASE("EARSHOT_MODEL stands in place of the default model", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeBytes(directory / "mine.ckpt", "model");
    {
        const test::EnvironmentScope variable("EARSHOT_MODEL", (directory / "mine.ckpt").string());
        REQUIRE(model::defaultModel() == directory / "mine.ckpt");
    }
    const test::EnvironmentScope variable("EARSHOT_MODEL", (directory / "gone.ckpt").string());
    REQUIRE_THROWS_WITH(model::defaultModel(),
                        ContainsSubstring("gone.ckpt") && ContainsSubstring("EARSHOT_MODEL"));
}

TEST_CASE("the binary's own folder is known, whatever the program was called by", "[unit]") {
    const fs::path folder = model::binaryFolder();
    REQUIRE(folder.is_absolute());
    REQUIRE(
        (fs::is_regular_file(folder / "earshot_tests") || fs::is_regular_file(folder / "earshot_tests.exe")));
    REQUIRE(model::modelFolders() == model::modelFoldersOf(folder));
}
