#include "Core/Teaching/ClipPaths.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace earshot;
namespace fs = std::filesystem;

TEST_CASE("a name becomes the beginning of a file's name", "[unit]") {
    std::string dogs; // 25 characters of three bytes
    for (int i = 0; i < 25; ++i) dogs += "犬";
    const std::vector<std::pair<std::string, std::string>> expected = {
        {"Creaky door", "creaky-door"},
        {"Tür zu", "tür-zu"},
        {" - Dog, (left) ", "dog-left"},
        {"NUL.txt", "nul-txt"},
        {"../x", "x"},
        {"犬の鳴き声", "犬の鳴き声"},
        {"a\u202Eb", "a-b"},
        {"a\xff"
         "b",
         "a-b"},
        {std::string(100, 'X'), std::string(60, 'x')},
        {dogs, dogs.substr(0, 60)},
        {std::string(59, 'x') + "犬", std::string(59, 'x')},
        {std::string(59, 'x') + " y", std::string(59, 'x')},
        {"?!", "sound"},
        {"", "sound"},
    };
    for (const auto& [name, stem] : expected) {
        CAPTURE(name);
        CHECK(teaching::fileStem(name) == stem);
    }
}

TEST_CASE("a file has one identity, by whatever path it is reached", "[unit]") {
    const test::TemporaryDirectory folder;
    fs::create_directories(folder / "mine/clips");
    test::writeBytes(folder / "mine/clips/a.flac", "");
    fs::create_directory_symlink(folder / "mine", folder / "link");
    const fs::path home = teaching::identityOf(folder / "mine");
    const fs::path clip = teaching::identityOf(folder / "mine/clips/a.flac");
    CHECK(teaching::identityOf(folder / "link/clips/a.flac") == clip);
    CHECK(teaching::identityOf(folder / "link/clips/../clips/./a.flac") == clip);
    CHECK(teaching::identityOf(folder / "link/not there") == home / "not there");
    CHECK(teaching::within(home, clip) == fs::path("clips/a.flac"));
    CHECK(teaching::within(home, teaching::identityOf(folder / "mine.wav")).empty());
    CHECK(teaching::within(home / "clips", home / "a.flac").empty());
}

TEST_CASE("a free path is that of no file, no folder and no link", "[unit]") {
    const test::TemporaryDirectory folder;
    CHECK(teaching::freePath(folder / "not there", "x", ".flac") == folder / "not there/x-1.flac");
    test::writeBytes(folder / "x-1.flac", "");
    fs::create_directories(folder / "x-2.flac");
    fs::create_symlink("nowhere", folder / "x-3.flac");
    CHECK(teaching::freePath(folder.path(), "x", ".flac") == folder / "x-4.flac");
    CHECK(teaching::freePath(folder.path(), "x", ".wav") == folder / "x-1.wav");
    const std::string tooLong(300, 'x');
    CHECK(teaching::freePath(folder.path(), tooLong, ".wav") == folder / (tooLong + "-1.wav"));
}
