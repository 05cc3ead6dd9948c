#include "Core/Base/StoredNames.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <string>

using earshot::StoredNames;
using earshot::test::TemporaryDirectory;
using earshot::test::writeBytes;

TEST_CASE("a file is found in whatever Unicode spelling its path has", "[unit]") {
    const TemporaryDirectory folder;
    const std::string apart = "Gru\xcc\x88n", together = "Gr\xc3\xbcn";
    std::filesystem::create_directories(folder / apart);
    writeBytes(folder / apart / "e\xcc\x81.wav", "x");
    writeBytes(folder / apart / "plain.wav", "x");
    StoredNames names;
    CHECK(names.find(folder / together / "\xc3\xa9.wav") == folder / apart / "e\xcc\x81.wav");
    CHECK(names.find(folder / together / "plain.wav") == folder / apart / "plain.wav");
    CHECK(names.find(folder / apart / "plain.wav") == folder / apart / "plain.wav");
    CHECK_FALSE(names.find(folder / together / "other.wav"));
    CHECK_FALSE(names.find(folder / "plain.wav"));
    CHECK_FALSE(names.find(folder / together / "\xc3\xb1.wav"));
    CHECK_FALSE(names.find(folder / "\xff\xfe.wav"));
    CHECK_FALSE(names.find(""));
}

TEST_CASE("of two files that differ in their spelling alone, each is found by its own", "[unit]") {
    const TemporaryDirectory folder;
    // Angstrom sign and letter A with ring: composed they are one.
    writeBytes(folder / "A\xcc\x8a.wav", "x");
    writeBytes(folder / "\xe2\x84\xab.wav", "x");
    StoredNames names;
    CHECK(names.find(folder / "A\xcc\x8a.wav") == folder / "A\xcc\x8a.wav");
    CHECK(names.find(folder / "\xe2\x84\xab.wav") == folder / "\xe2\x84\xab.wav");
    CHECK_FALSE(names.find(folder / "\xc3\x85.wav")); // either may be meant
}
