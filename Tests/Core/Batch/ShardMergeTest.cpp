#include "Core/Batch/Merge.h"

#include "Core/Base/Error.h"
#include "Core/Batch/BatchArchive.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Folders.h"

#include <algorithm>
#include <filesystem>
#include <string>

using namespace earshot;
using batch::Batch;
namespace fs = std::filesystem;

TEST_CASE("shards merged are the folder of one run, byte for byte", "[unit]") {
    const test::BatchArchive archive(7);
    archive.addBad();
    archive.run("whole");
    const auto expected = archive.contents("whole");
    for (const int count : {1, 3, 12}) {
        const auto name = "shards" + std::to_string(count);
        for (int index = 0; index < count; ++index) {
            auto request = archive.shard(name, index, count);
            std::ranges::reverse(request.inputs.recordings); // whatever order somebody's shell gives
            test::runBatch(request);
        }
        const auto shards = batch::shardFoldersIn(archive.folder(name));
        REQUIRE(shards.size() == static_cast<std::size_t>(count));
        for (int again = 0; again < 2; ++again) {
            const auto summary = batch::mergeShards(shards, archive.folder("merged" + name));
            CHECK(summary.recordings == 8);
            CHECK(summary.failures.size() == 1);
            CHECK(test::changes(archive.contents("merged" + name), expected) == "");
        }
        // The merged folder is a batch that can go on.
        CHECK(archive.run("merged" + name).tried == 1);
        CHECK(test::changes(archive.contents("merged" + name), expected) == "");
    }
}

TEST_CASE("a merge says which shard is missing, unfinished or different", "[unit]") {
    const test::BatchArchive archive(6);
    const auto shard = [&](int index, const auto& change) {
        auto request = archive.shard("s", index, 3);
        change(request);
        test::runBatch(request);
    };
    const auto none = [](auto&) {};
    const auto merge = [&] { archive.merge("s", "m"); };
    const auto says = [](const std::string& text) { return ContainsSubstring(text); };
    shard(0, none);
    shard(2, none);
    CHECK_THROWS_WITH(merge(), says("shard 1 of 3 is missing"));
    Batch(archive.shard("s", 1, 3)).run(test::batchDetector(), [](const auto&) { return false; });
    CHECK_THROWS_WITH(merge(), says("shard-1-of-3") && says("not finished"));
    shard(1, [](auto& request) {
        request.fingerprint = {{"threshold", "0.5"}};
        request.restart = true;
    });
    CHECK_THROWS_WITH(merge(), says("threshold was 0.4 and is 0.5"));
    shard(1, [](auto& request) {
        request.restart = true;
        request.joined = {"csv"};
    });
    CHECK_THROWS_WITH(merge(), says("shard-1-of-3") && says("formats"));
    archive.add(6);
    shard(1, none);
    CHECK_THROWS_WITH(merge(), says("knew other recordings"));
    shard(0, none);
    shard(2, none);
    {
        const batch::FolderLock running(archive.folder("s/shard-2-of-3"));
        CHECK_THROWS_WITH(merge(), says("another earshot"));
    }
    fs::remove(archive.folder("s/shard-0-of-3/part0/0.wav.csv"));
    CHECK_THROWS_WITH(merge(), says("0.wav.csv") && says("run it again"));
    shard(0, none);
    CHECK_NOTHROW(merge());
    CHECK_THROWS_AS(batch::mergeShards({archive.in()}, archive.folder("m")), Error);
}

TEST_CASE("a merge keeps what shards keep of recordings that are not named any more", "[unit]") {
    const test::BatchArchive archive(6);
    archive.run("whole");
    archive.runShards("s", 2);
    fs::remove(archive.in() / "part1" / "3.wav");
    archive.run("whole");
    archive.runShards("s", 2);
    const auto summary = archive.merge("s", "merged");
    CHECK(summary.recordings == 6);
    CHECK(summary.failures.size() == 1);
    CHECK(archive.changes("merged", "whole") == "");
    CHECK(archive.run("merged").failures.size() == 1);
    CHECK(archive.changes("merged", "whole") == "");
}

TEST_CASE("a merge replaces no file of somebody else", "[unit]") {
    const test::BatchArchive archive(3);
    archive.runShards("s", 1);
    const auto shards = batch::shardFoldersIn(archive.folder("s"));
    const auto out = archive.folder("merged");
    fs::create_directories(out / "part0");
    test::writeBytes(out / "part0/0.wav.csv", "mine");
    test::writeBytes(out / "events.csv", "mine too");
    const auto before = test::contents(out, {});
    CHECK_THROWS_WITH(batch::mergeShards(shards, out), ContainsSubstring("0.wav.csv") &&
                                                           ContainsSubstring("events.csv") &&
                                                           ContainsSubstring("--overwrite"));
    CHECK(test::changes(test::contents(out, {}), before) == "");
    batch::mergeShards(shards, out, {}, true);
    archive.run("whole");
    CHECK(archive.changes("merged", "whole") == "");
    // The same bytes do no harm, whoever put them there.
    fs::remove_all(out);
    fs::create_directories(out / "part0");
    fs::copy_file(archive.folder("whole/part0/0.wav.csv"), out / "part0/0.wav.csv");
    CHECK_NOTHROW(batch::mergeShards(shards, out));
    CHECK(archive.changes("merged", "whole") == "");
}

TEST_CASE("a merge stays inside its folders, whatever a shard's journal says", "[unit]") {
    const test::TemporaryDirectory victim;
    test::writeBytes(victim / "thesis.txt", "years of work");
    const test::BatchArchive archive(2);
    const auto attempt = [&](const std::string& sql) {
        fs::remove_all(archive.folder("s"));
        archive.runShards("s", 1);
        archive.editJournal("s/shard-0-of-1", sql);
        CHECK_THROWS_WITH(archive.merge("s", "s"),
                          ContainsSubstring("shard-0-of-1") && ContainsSubstring("; "));
        CHECK(test::readBytes(victim / "thesis.txt") == "years of work");
    };
    const auto rename = [](const std::string& name) {
        return "UPDATE recordings SET name = '" + name +
               "' WHERE name = 'part0/0.wav'; UPDATE plan SET name = '" + name +
               "' WHERE name = 'part0/0.wav';";
    };
    const std::string outside = fs::relative(victim / "thesis", archive.folder("s")).string();
    for (const std::string& name :
         {outside, "../" + outside, (victim / "thesis").string(), std::string("part0/../../x"),
          std::string("./part0/0.wav"), std::string("part0//0.wav"), std::string(".."), std::string("part0/"),
          std::string(), std::string(".earshot/journal")}) {
        CAPTURE(name);
        attempt(rename(name) +
                "UPDATE recordings SET heard = 0; UPDATE lists SET value = '.txt' WHERE name = 'suffixes'");
        attempt(rename(name));
    }
    for (const char* suffix : {"", "txt", "/../x", "./x", ".a/b", "."}) {
        CAPTURE(suffix);
        attempt(std::string("UPDATE lists SET value = '") + suffix + "' WHERE name = 'suffixes'");
    }
    attempt("UPDATE lists SET value = '../x' WHERE name = 'joined'");
    attempt("INSERT INTO lists VALUES ('missing', 0, '../x'); UPDATE recordings SET name = '../x' WHERE name "
            "= 'part0/0.wav'");
}

TEST_CASE("a plan that makes no sense is an error", "[unit]") {
    const test::BatchArchive archive(4);
    const auto attempt = [&](const std::string& sql) {
        CAPTURE(sql);
        fs::remove_all(archive.folder("s"));
        archive.runShards("s", 2);
        archive.editJournal("s/shard-1-of-2", sql);
        CHECK_THROWS_WITH(archive.merge("s", "m"), ContainsSubstring("shard-") && ContainsSubstring("; "));
        CHECK_FALSE(fs::exists(archive.folder("m") / "events.csv"));
    };
    attempt("UPDATE plan SET position = position + 1");
    attempt("UPDATE plan SET position = position + 1000");
    attempt("UPDATE plan SET position = -1 WHERE position = 1");
    attempt("DELETE FROM plan WHERE position = 1");
    attempt("UPDATE plan SET name = 'part0/0.wav' WHERE position = 1");
    attempt("UPDATE lists SET value = 'many' WHERE name = 'plan' AND position = 0");
    attempt("UPDATE lists SET value = '4 ' WHERE name = 'plan' AND position = 0");
    attempt("UPDATE lists SET value = '99999999999999999999' WHERE name = 'plan' AND position = 0");
    attempt("ALTER TABLE events RENAME COLUMN onset TO beginning");
    attempt("DELETE FROM lists WHERE name = 'documents'");
    attempt("DROP TABLE events; CREATE VIEW events AS SELECT 1 AS recording");
}
