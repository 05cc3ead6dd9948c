// Files of results that are out of date, and runs that do all again.
#include "Core/Batch/Batch.h"
#include "Core/Batch/BatchArchive.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Folders.h"

#include <filesystem>
#include <string>
#include <vector>

using namespace earshot;
using batch::Batch;
namespace fs = std::filesystem;

namespace {

batch::BatchRequest csvAlone(batch::BatchRequest request) {
    request.outputs = {batch::documentKind(*formats::formatNamed("csv"))};
    return request;
}

batch::BatchRequest withThreshold(batch::BatchRequest request) {
    request.fingerprint = {{"threshold", "0.5"}};
    request.restart = true;
    return request;
}

void replaceRecording(const test::BatchArchive& archive) {
    test::writeAudio(archive.in() / "part0" / "0.wav", test::AudioFormat::wavPcm16, 32000, 1,
                     test::noise(50000, 77));
}

} // namespace

TEST_CASE("a format that a run leaves out never shows a recording as it was before", "[unit]") {
    const test::BatchArchive archive(3);
    archive.run("out");
    const auto before = archive.contents("out");
    replaceRecording(archive);
    test::runBatch(csvAlone(archive.request("out")));
    auto now = archive.contents("out");
    CHECK(now.count("part0/0.wav.mid") == 0);
    CHECK(now.at("part0/2.wav.mid") == before.at("part0/2.wav.mid")); // it has not changed
    archive.run("out");
    archive.run("fresh");
    CHECK(archive.changes("out", "fresh") == "");
    CHECK(archive.contents("out").at("part0/0.wav.mid") != before.at("part0/0.wav.mid"));
}

TEST_CASE("a format that a run with other settings leaves out goes", "[unit]") {
    const test::BatchArchive archive(3);
    archive.run("out");
    test::runBatch(csvAlone(withThreshold(archive.request("out"))));
    CHECK(archive.contents("out").count("part0/0.wav.mid") == 0);
    CHECK(archive.contents("out").count("part0/0.wav.csv") == 1);
}

TEST_CASE("a format that a run leaves out stays if the results are the same", "[unit]") {
    const test::BatchArchive archive(3);
    archive.run("out");
    const auto before = archive.contents("out");
    auto again = csvAlone(archive.request("out"));
    again.restart = true;
    CHECK(test::runBatch(again).heard == 3);
    CHECK(test::changes(archive.contents("out"), before) == "");
}

TEST_CASE("a recording that cannot be decoded any more loses the files of all formats", "[unit]") {
    const test::BatchArchive archive(3);
    archive.run("out");
    test::writeBytes(archive.in() / "part0" / "0.wav", "no sound");
    test::runBatch(csvAlone(archive.request("out")));
    CHECK(archive.contents("out").count("part0/0.wav.mid") == 0);
    CHECK(archive.contents("out").count("part0/0.wav.csv") == 0);
}

TEST_CASE("results that other settings made of a missing recording can be forgotten", "[unit]") {
    const test::BatchArchive archive(4);
    archive.run("out");
    fs::rename(archive.in() / "part0", archive.folder("away"));
    test::runBatch(withThreshold(archive.request("out")));
    // Its disk may only be away.
    CHECK(archive.contents("out").count("part0/0.wav.csv") == 1);
    auto request = archive.request("out");
    request.fingerprint = {{"threshold", "0.5"}};
    request.forgetMissing = true;
    test::runBatch(request);
    CHECK(archive.contents("out").count("part0/0.wav.csv") == 0);
    CHECK(archive.contents("out").count("part1/1.wav.csv") == 1);
}

TEST_CASE("a merge leaves no files of formats that its shards do not have", "[unit]") {
    const test::BatchArchive archive(4);
    archive.runShards("s", 2);
    archive.merge("s", "merged");
    for (int index = 0; index < 2; ++index)
        test::runBatch(csvAlone(withThreshold(archive.shard("s", index, 2))));
    archive.merge("s", "merged");
    test::runBatch(csvAlone(withThreshold(archive.request("fresh"))));
    CHECK(archive.changes("merged", "fresh") == "");
}

TEST_CASE("a merge keeps what its shards leave out if the results are the same", "[unit]") {
    const test::BatchArchive archive(4);
    archive.runShards("s", 2);
    archive.merge("s", "merged");
    const auto before = archive.contents("merged");
    replaceRecording(archive);
    for (int index = 0; index < 2; ++index) test::runBatch(csvAlone(archive.shard("s", index, 2)));
    archive.merge("s", "merged");
    const auto now = archive.contents("merged");
    CHECK(now.count("part0/0.wav.mid") == 0);
    CHECK(now.at("part0/2.wav.mid") == before.at("part0/2.wav.mid"));
}

TEST_CASE("doing all again goes on where it was stopped", "[unit]") {
    const bool otherSettings = GENERATE(false, true);
    const test::BatchArchive archive(6);
    archive.run("out");
    auto request = otherSettings ? withThreshold(archive.request("out")) : archive.request("out");
    request.restart = true;
    request.jobs = 1;
    std::size_t heard = 0;
    bool stopped = true;
    for (int runs = 0; stopped && runs < 20; ++runs) {
        Batch batch(request);
        const auto before = batch.alreadyDone();
        CHECK(before == heard);
        const auto summary =
            batch.run(test::batchDetector(), [&](const auto& progress) { return progress.done <= before; });
        heard += summary.heard;
        stopped = summary.stopped;
    }
    CHECK_FALSE(stopped);
    CHECK(heard == 6);
    // Once it is through, the next one begins anew.
    CHECK(test::runBatch(request).heard == 6);
}

TEST_CASE("joined files are written again when they would be others, and left alone when not", "[unit]") {
    const test::BatchArchive archive(5);
    archive.run("out");
    const auto expected = archive.contents("out");
    const auto file = archive.folder("out") / "events.csv";
    const auto stamps = [&] {
        std::vector<batch::FileStamp> all;
        for (const char* const name : {"events.csv", "events.jsonl", "events.sqlite"})
            all.push_back(batch::FileStamp::of(archive.folder("out") / name));
        return all;
    };
    const auto before = stamps();
    archive.run("out");
    CHECK(stamps() == before);
    auto part = archive.request("out");
    part.inputs = batch::findInputs(std::vector<std::string>{(archive.in() / "part0/0.wav").string()}, {},
                                    {.wanted = archive.in(), .earlier = {}});
    test::runBatch(part); // of five recordings one, which is done
    CHECK(stamps() == before);

    // Whatever happens to the files:
    fs::remove(file);
    archive.run("out");
    CHECK(archive.contents("out") == expected);
    test::writeBytes(file, expected.at("events.csv").substr(1));
    archive.run("out");
    CHECK(archive.contents("out") == expected);
    // to the recordings, by this or an earlier version:
    replaceRecording(archive);
    test::runBatch(part);
    CHECK(archive.contents("out").at("events.csv") != expected.at("events.csv"));
    archive.run("fresh");
    CHECK(archive.changes("out", "fresh") == "");
    archive.editJournal("out", "DELETE FROM events WHERE id = (SELECT max(id) FROM events)");
    const auto edited = stamps();
    archive.run("out");
    CHECK(stamps() != edited);
    // and to the settings:
    auto request = archive.request("out");
    request.joined = {"csv"};
    test::runBatch(request);
    auto now = stamps();
    request.starts.zone = TimeZone("UTC");
    test::runBatch(request);
    CHECK(stamps() != now);
    now = stamps();
    request.model.licence = "another";
    test::runBatch(request);
    CHECK(stamps() != now);
    now = stamps();
    fs::remove(archive.in() / "part1/1.wav");
    request.inputs = archive.request("out").inputs;
    request.forgetMissing = true;
    test::runBatch(request);
    CHECK(stamps() != now);
    CHECK_THAT(archive.contents("out").at("events.csv"), !ContainsSubstring("part1/1.wav"));
}

TEST_CASE("a run removes what a killed one left in the folder of results, also beside the journal",
          "[unit]") {
    const test::BatchArchive archive(3);
    archive.run("out");
    const auto expected = archive.contents("out");
    for (const char* const where : {"", "part0", ".earshot"})
        test::writeBytes(archive.folder("out") / where / ".earshot-0123456789abcdef.partial", "half");
    archive.run("out");
    CHECK(archive.contents("out") == expected);
    for (const char* const where : {"", "part0", ".earshot"})
        CHECK_FALSE(fs::exists(archive.folder("out") / where / ".earshot-0123456789abcdef.partial"));
}
