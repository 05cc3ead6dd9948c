#include "Core/Batch/Batch.h"

#include "Core/Batch/BatchArchive.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Folders.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace earshot;
using batch::Batch;
namespace fs = std::filesystem;

TEST_CASE("a batch makes each recording's files and the joined ones", "[unit]") {
    const test::BatchArchive archive(5);
    const auto summary = archive.run("out");
    CHECK(summary.total == 5);
    CHECK(summary.done == 5);
    CHECK(summary.failures.empty());
    CHECK(summary.secondsHeard == Approx(0.5 + 1.0 + 1.5 + 2.0 + 0.5));
    const auto files = archive.contents("out");
    CHECK(files.size() == 2 * 5 + 3);
    const auto& joined = files.at("events.csv");
    CHECK_THAT(joined, ContainsSubstring("part0/0.wav") && ContainsSubstring("part1/3.wav"));
    // The joined table is the others under one header, in the order of their names.
    std::string expected;
    for (const auto& [name, bytes] : files)
        if (name.ends_with(".wav.csv"))
            expected += expected.empty() ? bytes : bytes.substr(bytes.find('\n') + 1);
    CHECK(joined == expected);
}

TEST_CASE("any number of jobs makes the same folder", "[unit]") {
    const test::BatchArchive archive(7);
    archive.run("one");
    const auto expected = archive.contents("one");
    for (const int jobs : {1, 2, 5, 20}) {
        auto request = archive.request("jobs" + std::to_string(jobs));
        request.jobs = jobs;
        request.threads = 3;
        test::runBatch(request);
        CHECK(test::changes(test::contents(request.folder), expected) == "");
    }
}

TEST_CASE("a batch that is stopped again and again ends with the same folder", "[unit]") {
    const test::BatchArchive archive(9);
    archive.run("whole");
    auto request = archive.request("pieces");
    std::size_t heard = 0;
    int runs = 0;
    for (bool stopped = true; stopped; ++runs) {
        REQUIRE(runs < 100);
        Batch pieces(request);
        const std::size_t before = pieces.alreadyDone();
        const auto summary = pieces.run(test::batchDetector(), [&](const batch::BatchProgress& progress) {
            CHECK(progress.total == 9);
            CHECK(progress.done >= before);
            return progress.done < before + 1;
        });
        CHECK(summary.done == before + summary.heard);
        heard += summary.heard;
        stopped = summary.stopped;
    }
    // Nothing twice.
    CHECK(heard == 9);
    CHECK(archive.changes("pieces", "whole") == "");
    CHECK(archive.run("pieces").heard == 0);
}

TEST_CASE("many small recordings after a large one are work too", "[unit]") {
    const test::BatchArchive archive(12); // some are committed after others
    test::writeAudio(archive.in() / "large.wav", test::AudioFormat::wavPcm16, 32000, 1,
                     test::noise(32000 * 60, 1)); // 3.8 MB
    auto request = archive.request("out");
    request.jobs = 1;
    request.recorded = [](const auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(300)); };
    int ticks = 0;
    Batch(request).run(test::batchDetector(), [&](const batch::BatchProgress& progress) {
        CHECK(progress.share <= (5.5 + static_cast<double>(progress.done)) / 17.0);
        ticks += progress.done >= 1 && progress.done < 13 ? 1 : 0;
        return true;
    });
    CHECK(ticks > 0);
}

TEST_CASE("a batch tells of each recording that is done, now or by an earlier run", "[unit]") {
    const test::BatchArchive archive(4);
    archive.addBad();
    std::map<std::string, batch::JournalEntry> told;
    auto request = archive.request("out");
    request.recorded = [&](const batch::JournalEntry& entry) { told[entry.name] = entry; };
    {
        Batch first(request);
        first.eachDone([](const batch::JournalEntry&) { FAIL("nothing is done yet"); });
        first.run(test::batchDetector(), [](const batch::BatchProgress& progress) {
            for (const auto& [name, share] : progress.hearing) CHECK((share >= 0.0 && share <= 1.0));
            return true;
        });
    }
    REQUIRE(told.size() == 5);
    CHECK_FALSE(told.at("bad.wav").failure.empty());
    CHECK_FALSE(told.at("bad.wav").result);
    REQUIRE(told.at("part1/3.wav").result);
    CHECK(told.at("part1/3.wav").failure.empty());
    CHECK(told.at("part1/3.wav").result->seconds == Approx(2.0));

    std::vector<std::string> done;
    Batch(request).eachDone([&](const batch::JournalEntry& entry) {
        done.push_back(entry.name);
        REQUIRE(entry.result);
        CHECK(entry.result->events.size() == told.at(entry.name).result->events.size());
    });
    // The bad one is tried again.
    CHECK(done == std::vector<std::string>{"part0/0.wav", "part0/2.wav", "part1/1.wav", "part1/3.wav"});

    request.fingerprint = {{"threshold", "0.5"}};
    std::string differences;
    try {
        const Batch other(request);
    } catch (const batch::SettingsError& error) {
        differences = error.differences;
    }
    CHECK(differences == "threshold was 0.4 and is 0.5 now");
}

TEST_CASE("new and changed recordings are heard", "[unit]") {
    const test::BatchArchive archive(4);
    archive.run("out");
    archive.add(4);
    CHECK(archive.run("out").heard == 1);

    const auto changed = archive.in() / "part1" / "1.wav";
    fs::last_write_time(changed, fs::last_write_time(changed) + std::chrono::seconds(2));
    CHECK(archive.run("out").heard == 1);
}

TEST_CASE("other settings are refused until all is done again", "[unit]") {
    const test::BatchArchive archive(2);
    archive.run("out");
    auto request = archive.request("out");
    request.fingerprint = {{"threshold", "0.5"}};
    CHECK_THROWS_WITH(Batch(request), ContainsSubstring("threshold was 0.4 and is 0.5 now") &&
                                          ContainsSubstring("--restart"));
    request.restart = true;
    CHECK(test::runBatch(request).heard == 2);
    request.restart = false;
    CHECK(test::runBatch(request).heard == 0);
}

TEST_CASE("formats asked for later, and files that were removed, come from the journal", "[unit]") {
    const test::BatchArchive archive(3);
    archive.run("out");
    auto request = archive.request("out");
    request.outputs.push_back(batch::documentKind(*formats::formatNamed("raven")));
    request.joined.push_back("raven");
    fs::remove(archive.folder("out") / "part0" / "2.wav.csv");
    CHECK(test::runBatch(request).heard == 0);
    request.folder = archive.folder("fresh");
    test::runBatch(request);
    CHECK(archive.changes("out", "fresh") == "");
}

TEST_CASE("results may lie beside the recordings", "[unit]") {
    const test::BatchArchive archive(3);
    archive.run("out");
    auto expected = archive.contents("out");
    expected.merge(test::contents(archive.in()));
    auto request = archive.request("out");
    request.folder = archive.in();
    test::runBatch(request);
    CHECK(test::changes(test::contents(archive.in()), expected) == "");
    // Nothing of it is taken for a recording.
    CHECK(batch::findInputs(std::vector<std::string>{archive.in().string()}).recordings.size() == 3);
}

TEST_CASE("temporary files of a killed run go", "[unit]") {
    const test::BatchArchive archive(2);
    for (const char* where : {"out", "out/part1"}) {
        fs::create_directories(archive.folder(where));
        test::writeBytes(archive.folder(where) / ".earshot-0123456789abcdef.partial", "half");
    }
    archive.run("out");
    archive.run("fresh");
    CHECK(archive.changes("out", "fresh") == "");
}

TEST_CASE("names that would be too long become names that follow from the recording's", "[unit]") {
    const test::BatchArchive archive(2);
    const std::string stem(247, 'x');
    const std::string deep = std::string(120, 'y') + "\xc3\xa4" + std::string(126, 'z');
    for (const std::string& name : {stem + "1.wav", stem + "2.wav", deep + ".wav"}) {
        INFO(name.size());
        fs::copy_file(archive.in() / "part0" / "0.wav", archive.in() / name);
    }
    const auto summary = archive.run("out");
    CHECK(summary.failures.empty());
    const auto files = archive.contents("out");
    CHECK(files.size() == 2 * 5 + 3);
    const auto name = batch::outputFile("", stem + "1.wav", ".csv");
    CHECK(name.native().size() == 255);
    CHECK(files.count(name) == 1);
    CHECK(name == batch::outputFile("", stem + "1.wav", ".csv"));
    CHECK(name != batch::outputFile("", stem + "2.wav", ".csv"));
    CHECK(batch::outputFile("", "a/" + stem + "1.wav", ".csv").filename() != name.filename());
    // Not within a character, and as it is where it fits.
    CHECK(batch::outputFile("", std::string(235, 'a') + std::string(8, '\xc3') + "\xa4.wav", ".mid")
              .native()
              .size() <= 255);
    CHECK(batch::outputFile("", stem, ".csv") == stem + ".csv");
    CHECK(archive.run("out").heard == 0);
    archive.runShards("shards", 2);
    archive.merge("shards", "merged");
    CHECK(test::changes(archive.contents("merged"), files) == "");
}

TEST_CASE("a name that two results would share is refused", "[unit]") {
    const test::BatchArchive archive(1);
    auto request = archive.request("out");
    request.inputs.recordings = {{archive.in() / "part0" / "0.wav", "events", {}}};
    CHECK_THROWS_WITH(Batch(request), ContainsSubstring("events.csv"));
}

TEST_CASE("a folder of earlier versions goes on, and its files are known", "[unit]") {
    const test::BatchArchive archive(4);
    archive.run("out");
    const auto before = archive.contents("out");
    // As version 5 left it: without the likeliest sounds, which are heard again where they are asked for.
    archive.editJournal("out", "ALTER TABLE recordings DROP COLUMN start; ALTER TABLE recordings DROP COLUMN "
                               "top; PRAGMA user_version = 5");
    CHECK(archive.run("out").heard == 0);
    auto asking = archive.request("out");
    asking.joined.push_back(batch::topFormat(1, "csv"));
    CHECK(test::runBatch(asking).heard == 4);
    CHECK(test::readBytes(archive.folder("out/top.csv")).starts_with("file,label_1,score_1\npart0/0.wav,"));
    CHECK(test::runBatch(asking).heard == 0);
    fs::remove(archive.folder("out/top.csv"));
    // As version 4 left it: without channels, too.
    archive.editJournal("out", "ALTER TABLE recordings DROP COLUMN start; ALTER TABLE recordings DROP COLUMN "
                               "top; ALTER TABLE events DROP COLUMN channel; "
                               "PRAGMA user_version = 4");
    CHECK(archive.run("out").heard == 0);
    CHECK(test::changes(archive.contents("out"), before) == "");
    // As version 3 left it: without bases.
    archive.editJournal("out", "ALTER TABLE recordings DROP COLUMN start; ALTER TABLE recordings DROP COLUMN "
                               "top; ALTER TABLE events DROP COLUMN channel; "
                               "ALTER TABLE recordings DROP COLUMN base; "
                               "PRAGMA user_version = 3");
    CHECK(archive.run("out").heard == 0);
    CHECK(test::changes(archive.contents("out"), before) == "");
    // As version 2 left it: without targets, too, and killed between a recording's files and its row.
    const auto makeOld = [&] {
        archive.editJournal(
            "out",
            "DROP TABLE targets; ALTER TABLE events DROP COLUMN channel; ALTER TABLE recordings DROP COLUMN "
            "base; ALTER TABLE recordings DROP COLUMN start; ALTER TABLE recordings DROP COLUMN top; ALTER "
            "TABLE recordings DROP COLUMN "
            "unreachable; PRAGMA user_version = 2; "
            "DELETE FROM events WHERE recording IN (SELECT id FROM recordings WHERE name = 'part1/3.wav'); "
            "DELETE FROM recordings WHERE name = 'part1/3.wav'");
    };
    makeOld();
    // Its tables had other columns.
    archive.editJournal("out", "DELETE FROM lists WHERE name = 'documents'");
    test::writeBytes(archive.folder("out/part0/2.wav.csv"), "the old table");
    const auto lock = archive.folder("out/.earshot/lock");
    fs::last_write_time(lock, fs::last_write_time(lock) - std::chrono::hours(1));
    CHECK(archive.run("out").heard == 1);
    CHECK(test::changes(archive.contents("out"), before) == "");
    // What was there before the batch began is somebody's own.
    makeOld();
    const auto other = archive.folder("out/part1/3.wav.csv");
    test::writeBytes(other, "mine");
    fs::last_write_time(other, fs::last_write_time(lock) - std::chrono::hours(1));
    CHECK_THROWS_WITH(archive.run("out"), ContainsSubstring("3.wav.csv"));
    CHECK(test::readBytes(other) == "mine");
}

TEST_CASE("of results of a version that repeated every short recording, the shortest are made again",
          "[unit]") {
    const test::BatchArchive archive(4); // 0.5, 1, 1.5 and 2 s
    const auto run = [&](bool tells) {
        auto request = archive.request("out");
        if (tells) request.fingerprint.emplace_back(batch::shortRecordings, "silence follows below 2 s");
        return test::runBatch(request);
    };
    CHECK(run(false).heard == 4);
    test::writeBytes(archive.folder("out/part0/0.wav.csv"), "an old table");
    test::writeBytes(archive.folder("out/part1/3.wav.csv"), "an old table");
    CHECK(run(true).heard == 3);
    CHECK_THAT(test::readBytes(archive.folder("out/part0/0.wav.csv")), ContainsSubstring("onset_s"));
    CHECK(test::readBytes(archive.folder("out/part1/3.wav.csv")) == "an old table"); // 2 s
    CHECK(run(true).heard == 0);
    CHECK_THROWS_WITH(run(false), ContainsSubstring("short recordings was silence follows below 2 s"));
}
