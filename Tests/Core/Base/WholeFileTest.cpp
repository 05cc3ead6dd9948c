#include "Core/Base/WholeFile.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <atomic>
#include <csignal>
#include <thread>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace earshot;
namespace fs = std::filesystem;
using Folders = WholeFile::MissingFolders;

namespace {

std::size_t entries(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

mode_t modeOf(const fs::path& file) {
    struct stat status {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    return status.st_mode & 0777u;
}

// The temporary file of a writer of `target` that was killed: its name, with nobody who holds it.
fs::path leaveTemporary(const fs::path& target) {
    const fs::path name = WholeFile(target).temporary();
    test::writeBytes(name, "half");
    return name;
}

} // namespace

TEST_CASE("a file is the old one until it is committed, and nothing else remains", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto target = folder / "results.csv";
    test::writeBytes(target, "old");
    {
        WholeFile dropped(target);
        dropped.write("half");
        CHECK(dropped.temporary().parent_path() == folder.path());
        CHECK(test::readBytes(target) == "old");
    }
    CHECK(entries(folder.path()) == 1);
    WholeFile file(target);
    file.write("new");
    CHECK(test::readBytes(target) == "old");
    file.commit();
    CHECK(test::readBytes(target) == "new");
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("what is written in pieces of any size lies where it belongs", "[unit]") {
    const test::TemporaryDirectory folder;
    std::string expected;
    WholeFile file(folder / "pieces");
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{70000}, std::size_t{65536}, std::size_t{30},
                                    std::size_t{65535}, std::size_t{2}}) {
        const std::string piece(bytes, static_cast<char>('a' + expected.size() % 26));
        file.write(piece);
        expected += piece;
    }
    file.seek(3);
    file.write("XYZ");
    expected.replace(3, 3, "XYZ");
    file.commit();
    CHECK(test::readBytes(folder / "pieces") == expected);
}

TEST_CASE("folders are made where that is asked for, and names of any length work", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto target = folder.path() / "a" / "b" / std::string(255, 'n');
    CHECK_THROWS_WITH(writeWholeFile(target, "x"), ContainsSubstring("check that its folder exists"));
    writeWholeFile(target, "x", Folders::made);
    CHECK(test::readBytes(target) == "x");
    test::writeBytes(folder / "file", "");
    CHECK_THROWS_AS(writeWholeFile(folder.path() / "file" / "x", "x", Folders::made), WriteError);
}

TEST_CASE("a name that the file system does not take concerns that file alone", "[unit]") {
    const test::TemporaryDirectory folder;
    try {
        writeWholeFile(folder / std::string(256, 'n'), "x");
        FAIL("the name is too long");
    } catch (const WriteError& error) {
        CHECK(error.reach() == WriteError::Reach::oneResult);
        CHECK_THAT(error.what(), ContainsSubstring(std::string(256, 'n')) && ContainsSubstring("shorten it"));
    }
    CHECK(entries(folder.path()) == 0);
}

TEST_CASE("a file keeps its mode when it is replaced, and a protected one is not replaced", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto target = folder / "a";
    test::writeBytes(target, "old");
    REQUIRE(::chmod(target.c_str(), 0640) == 0);
    writeWholeFile(target, "new");
    CHECK(test::readBytes(target) == "new");
    CHECK(modeOf(target) == 0640);
}

TEST_CASE("a link stands for the file that it leads to", "[unit]") {
    const test::TemporaryDirectory folder;
    fs::create_directory(folder / "elsewhere");
    test::writeBytes(folder / "elsewhere/real", "old");
    fs::create_symlink("elsewhere/real", folder / "link");
    fs::create_symlink("link", folder / "second");
    writeWholeFile(folder / "second", "new");
    CHECK(test::readBytes(folder.path() / "elsewhere" / "real") == "new");
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(fs::is_symlink(folder / "second"));
    CHECK(entries(folder.path()) == 3);
    fs::create_symlink("elsewhere/fresh", folder / "dangling");
    writeWholeFile(folder / "dangling", "made");
    CHECK(test::readBytes(folder.path() / "elsewhere" / "fresh") == "made");
    fs::create_symlink("circle", folder / "circle");
    CHECK_THROWS_AS(writeWholeFile(folder / "circle", "x"), WriteError);
}

TEST_CASE("folders, pipes and devices are not replaced", "[unit]") {
    const test::TemporaryDirectory folder;
    fs::create_directory(folder / "folder");
    CHECK_THROWS_WITH(writeWholeFile(folder / "folder", "x"), ContainsSubstring("name a file"));
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK_THROWS_WITH(writeWholeFile(folder / "pipe", "x"), ContainsSubstring("no regular file"));
    CHECK(fs::is_fifo(folder / "pipe"));
    CHECK_THROWS_AS(writeWholeFile("/dev/null", "x"), WriteError);
}

TEST_CASE("what a killed writer left is removed, a planted link is not followed", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto left = leaveTemporary(folder / "a.csv");
    writeWholeFile(folder / "a.csv", "whole");
    CHECK(test::readBytes(folder / "a.csv") == "whole");
    CHECK(entries(folder.path()) == 1);

    test::writeBytes(folder / "precious", "precious");
    fs::create_symlink("precious", left);
    writeWholeFile(folder / "a.csv", "again");
    CHECK(test::readBytes(folder / "a.csv") == "again");
    CHECK(test::readBytes(folder / "precious") == "precious");
    CHECK(entries(folder.path()) == 2);
}

TEST_CASE("two writers of one file do not mix", "[unit]") {
    const test::TemporaryDirectory folder;
    WholeFile first(folder / "a.csv");
    first.write("first");
    CHECK_THROWS_WITH(WholeFile(folder / "a.csv"), ContainsSubstring("another earshot is writing it"));
    CHECK(removeTemporaries(folder.path()) == 0);
    first.commit();
    CHECK(test::readBytes(folder / "a.csv") == "first");
}

TEST_CASE("many writers of one file follow each other, each with all of it", "[unit][threads]") {
    const test::TemporaryDirectory folder;
    const auto target = folder / "a.csv";
    std::atomic<int> written = 0, refused = 0, mixed = 0;
    const auto isWhole = [](const std::string& bytes) {
        return bytes.size() == 100000 && bytes.find_first_not_of(bytes.front()) == std::string::npos;
    };
    {
        std::vector<std::jthread> writers;
        for (char letter = 'a'; letter < 'e'; ++letter)
            writers.emplace_back([&, letter] {
                for (int round = 0; round < 50; ++round) try {
                        writeWholeFile(target, std::string(100000, letter));
                        ++written;
                        if (!isWhole(test::readBytes(target))) ++mixed;
                    } catch (const WriteError& error) {
                        if (std::string_view(error.what()).find("another earshot") == std::string_view::npos)
                            throw;
                        ++refused;
                    }
            });
    }
    CHECK(written + refused == 200);
    CHECK(written > 0);
    CHECK(mixed == 0);
    CHECK(isWhole(test::readBytes(target)));
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a writer whose temporary file another took away says so and leaves the other's alone", "[unit]") {
    const test::TemporaryDirectory folder;
    WholeFile first(folder / "a.csv");
    first.write("first");
    fs::remove(first.temporary());
    test::writeBytes(first.temporary(), "half of a second writer's");
    CHECK_THROWS_WITH(first.commit(), ContainsSubstring("another earshot is writing it"));
    CHECK(!fs::exists(folder / "a.csv"));
}

TEST_CASE("what killed runs left is removed, and only that", "[unit]") {
    const test::TemporaryDirectory folder;
    for (const std::string name : {"a.wav.csv", ".earshot-notes", "x.partial", ".hidden"})
        test::writeBytes(folder / name, "mine");
    const auto first = leaveTemporary(folder / "a.csv");
    const auto second = leaveTemporary(folder / "b.csv");
    test::writeBytes(second.string() + ".part", "an earlier version's");
    CHECK(first != second);
    CHECK(removeTemporaries(folder.path()) == 3);
    CHECK(entries(folder.path()) == 4);
    CHECK(removeTemporaries(folder / "missing") == 0);
}

TEST_CASE("a disk without room is an error that says so, and leaves the old file", "[unit][file-limit]") {
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
        writeWholeFile(target, std::string(200000, 'x'));
    } catch (const WriteError& error) {
        message = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, previous);
    CHECK_THAT(message, ContainsSubstring("large.csv: cannot be written") && ContainsSubstring("make room"));
    CHECK(test::readBytes(target) == "old");
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a full disk concerns all results", "[unit]") {
    try {
        failToWrite("results/a.csv", ENOSPC);
    } catch (const WriteError& error) {
        CHECK(error.reach() == WriteError::Reach::allResults);
        CHECK_THAT(error.what(), ContainsSubstring("results/a.csv") && ContainsSubstring("make room"));
    }
}

TEST_CASE("a file takes its contents from another, as a link or a copy", "[unit]") {
    const test::TemporaryDirectory folder;
    const std::string bytes(100000, 'b');
    test::writeBytes(folder / "from", bytes);
    for (int round = 0; round < 2; ++round) { // the second time both are one file already
        WholeFile file(folder / "to");
        file.takeFrom(folder / "from");
        file.commit();
        CHECK(test::readBytes(folder / "to") == bytes);
        CHECK(entries(folder.path()) == 2);
    }
    writeWholeFile(folder / "to", "other");
    CHECK(test::readBytes(folder / "from") == bytes);
    WholeFile file(folder / "to");
    CHECK_THROWS_AS(file.takeFrom(folder / "absent"), WriteError);
    if (std::error_code none; fs::exists("/dev/shm", none)) {
        const fs::path elsewhere = "/dev/shm/earshot-whole-file-" + std::to_string(::getpid());
        {
            WholeFile copy(elsewhere);
            copy.takeFrom(folder / "from");
            copy.commit();
        }
        CHECK(test::readBytes(elsewhere) == bytes);
        fs::remove(elsewhere);
    }
}

TEST_CASE("whether a file can be written is known before it is, and nothing is left of asking", "[unit]") {
    const test::TemporaryDirectory folder;
    test::writeBytes(folder / "old", "old");
    fs::create_directories(folder / "folder");
    const auto before = entries(folder.path());
    requireWritable(folder / "old");
    requireWritable(folder / "new");
    CHECK(test::readBytes(folder / "old") == "old");
    CHECK_THROWS_WITH(requireWritable(folder / "folder"), ContainsSubstring("name a file"));
    CHECK_THROWS_WITH(requireWritable(folder.path() / "absent" / "a"),
                      ContainsSubstring("check that its folder exists"));
    CHECK_THROWS_WITH(requireWritable(folder / std::string(256, 'n')), ContainsSubstring("shorten it"));
    CHECK_THROWS_WITH(requireWritable("/dev/null"), ContainsSubstring("is no regular file"));
    CHECK(entries(folder.path()) == before);
}
