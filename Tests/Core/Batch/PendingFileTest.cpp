#include "Core/Batch/PendingFile.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <csignal>

#include <sys/resource.h>

using namespace earshot;
namespace fs = std::filesystem;

namespace {

std::size_t entries(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

void writePart(const batch::PendingFile& file, std::string_view bytes) {
    batch::FileWriter writer(file.temporary());
    writer.write(bytes);
    writer.close();
}

} // namespace

TEST_CASE("a file is the old one until it is committed, and nothing else remains", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto target = folder / "results.csv";
    test::writeBytes(target, "old");
    {
        const batch::PendingFile dropped(target);
        writePart(dropped, "half");
        CHECK(dropped.temporary().parent_path() == folder.path());
        CHECK(test::readBytes(target) == "old");
    }
    CHECK(entries(folder.path()) == 1);
    batch::PendingFile file(target);
    writePart(file, "new");
    CHECK(test::readBytes(target) == "old");
    batch::PendingFile::commit({&file, 1});
    CHECK(test::readBytes(target) == "new");
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("folders are made, and names of any length work", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto target = folder.path() / "a" / "b" / std::string(255, 'n');
    batch::writeAtomically(target, "x");
    CHECK(test::readBytes(target) == "x");
    test::writeBytes(folder / "file", "");
    CHECK_THROWS_AS(batch::writeAtomically(folder.path() / "file" / "x", "x"), batch::WriteError);
}

TEST_CASE("what a killed run left is removed, and only that", "[unit]") {
    const test::TemporaryDirectory folder;
    for (const std::string name : {"a.wav.csv", ".earshot-notes", "x.partial", ".hidden"})
        test::writeBytes(folder / name, "mine");
    {
        // What a kill leaves: the temporary file, without its owner.
        const batch::PendingFile first(folder / "a.csv");
        const batch::PendingFile second(folder / "b.csv");
        test::writeBytes(first.temporary(), "x");
        fs::copy_file(first.temporary(), second.temporary());
        test::writeBytes(second.temporary().string() + ".part", "its writer's own");
        CHECK(first.temporary() != second.temporary());
        CHECK(batch::removePartialFiles(folder.path()) == 3);
    }
    CHECK(entries(folder.path()) == 4);
    CHECK(batch::removePartialFiles(folder / "missing") == 0);
}

TEST_CASE("a disk without room is an error that says so, and leaves the old file", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto target = folder / "large.csv";
    test::writeBytes(target, "old");
    // A limit to file sizes stands in for the full disk.
    auto* const previous = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit limit = before;
    limit.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &limit);
    std::string message;
    try {
        batch::writeAtomically(target, std::string(200000, 'x'));
    } catch (const batch::WriteError& error) {
        message = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, previous);
    CHECK_THAT(message, ContainsSubstring("cannot be written") && ContainsSubstring("make room"));
    CHECK(test::readBytes(target) == "old");
    CHECK(entries(folder.path()) == 1);
}
