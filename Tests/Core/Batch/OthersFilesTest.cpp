// A batch neither replaces nor deletes files that Earshot did not make.
#include "Core/Base/Error.h"
#include "Core/Batch/Batch.h"
#include "Core/Batch/BatchArchive.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Folders.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

using namespace earshot;
using batch::Batch;
namespace fs = std::filesystem;

TEST_CASE("files that Earshot did not make are named and left alone", "[unit]") {
    const test::BatchArchive archive(3);
    const auto out = archive.folder("out");
    fs::create_directories(out / "part0");
    const std::vector<std::string> mine = {"part0/0.wav.csv", "events.csv", "failed.csv", "part0/2.wav.mid"};
    for (const auto& name : mine) test::writeBytes(out / name, "my own " + name);
    test::writeBytes(out / "notes.txt", "mine");
    const auto before = archive.contents("out");
    CHECK_THROWS_WITH(Batch(archive.request("out")),
                      ContainsSubstring("part0/0.wav.csv") && ContainsSubstring("events.csv") &&
                          ContainsSubstring("failed.csv") && ContainsSubstring("part0/2.wav.mid") &&
                          ContainsSubstring("--overwrite"));
    CHECK(test::changes(test::contents(out, {}), before) == ""); // not even a journal
    auto request = archive.request("out");
    request.overwrite = true;
    CHECK(test::runBatch(request).failures.empty());
    // From here on they are Earshot's.
    CHECK(archive.run("out").heard == 0);
    fs::remove(out / "notes.txt");
    archive.run("fresh");
    CHECK(archive.changes("out", "fresh") == "");
}

TEST_CASE("another's file that comes while a batch runs fails its recording alone", "[unit]") {
    const test::BatchArchive archive(3);
    auto request = archive.request("out");
    request.jobs = 1;
    std::optional<Batch> work(request);
    const auto other = archive.folder("out/part1/1.wav.csv");
    fs::create_directories(other.parent_path());
    test::writeBytes(other, "mine");
    const auto summary = work->run(test::batchDetector(), {});
    work.reset();
    REQUIRE(summary.failures.size() == 1);
    CHECK_THAT(summary.failures[0].message, ContainsSubstring("1.wav.csv: is there and not made by Earshot"));
    CHECK(test::readBytes(other) == "mine");
    CHECK(fs::exists(archive.folder("out/part0/2.wav.csv")));
    CHECK_THROWS_WITH(archive.run("out"), ContainsSubstring("1.wav.csv"));
    fs::remove(other);
    CHECK(archive.run("out").heard == 1);
    archive.run("fresh");
    CHECK(archive.changes("out", "fresh") == "");
}

TEST_CASE("a recording that cannot be decoded loses no file of somebody else", "[unit]") {
    const test::BatchArchive archive(2);
    archive.addBad();
    archive.run("out");
    // It has no results, so a file of that name is another's.
    test::writeBytes(archive.folder("out/bad.wav.csv"), "mine");
    CHECK_THROWS_WITH(archive.run("out"), ContainsSubstring("bad.wav.csv"));
    CHECK(test::readBytes(archive.folder("out/bad.wav.csv")) == "mine");
}

TEST_CASE("results are never written over what a batch reads", "[unit]") {
    const test::BatchArchive archive(2);
    fs::create_directories(archive.folder("out/part0"));
    const auto list = archive.folder("list.txt");
    test::writeBytes(list, "one\n");
    fs::create_hard_link(list, archive.folder("out/events.csv"));
    auto request = archive.request("out");
    request.overwrite = true;
    request.readFiles = {list};
    CHECK_THROWS_WITH(Batch(request),
                      ContainsSubstring("events.csv") && ContainsSubstring("would overwrite an input"));
    fs::remove(archive.folder("out/events.csv"));
    fs::create_symlink(archive.in() / "part1" / "1.wav", archive.folder("out/part0/0.wav.mid"));
    CHECK_THROWS_WITH(Batch(request),
                      ContainsSubstring("0.wav.mid") && ContainsSubstring("would overwrite a recording"));
    CHECK(test::readBytes(list) == "one\n");
}

TEST_CASE("what is to be forgotten is deleted inside the folder alone, whatever the journal says", "[unit]") {
    const test::TemporaryDirectory victim;
    test::writeBytes(victim / "thesis.txt", "years of work");
    const test::BatchArchive archive(3);
    for (const bool byName : {true, false}) {
        archive.run("out");
        fs::rename(archive.in() / "part1", archive.folder("away"));
        const std::string outside = fs::relative(victim / "thesis", archive.folder("out")).string();
        archive.editJournal("out", "INSERT OR IGNORE INTO targets VALUES ('" + outside +
                                       ".txt'), ('part1/1.wav/../../" + outside + ".txt')");
        if (byName)
            archive.editJournal("out", "UPDATE recordings SET name = '" + outside +
                                           "' WHERE name = 'part1/1.wav'; "
                                           "UPDATE lists SET value = '.txt' WHERE name = 'suffixes'");
        else
            archive.editJournal("out", "UPDATE lists SET value = '/../../" + outside +
                                           ".txt' WHERE name = 'suffixes'");
        auto request = archive.request("out");
        request.forgetMissing = true;
        CHECK_THROWS_AS(Batch(request), Error);
        CHECK(test::readBytes(victim / "thesis.txt") == "years of work");
        fs::remove_all(archive.folder("out"));
        fs::rename(archive.folder("away"), archive.in() / "part1");
    }
}
