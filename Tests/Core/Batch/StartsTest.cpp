// When recordings began, and where they lie, in the results of batches.
#include "Core/Batch/Batch.h"
#include "Core/Batch/BatchArchive.h"
#include "Support/Catch.h"
#include "Support/Folders.h"

#include <filesystem>
#include <string>

using namespace earshot;
namespace fs = std::filesystem;

namespace {

class NightArchive : public test::BatchArchive {
  public:
    NightArchive()
        : BatchArchive(2) {
        fs::rename(in() / "part0" / "0.wav", in() / "part0" / "20261025_023000.wav");
    }

    batch::BatchRequest night(const std::string& zone = {}) const {
        auto wanted = request("out");
        wanted.outputs = {batch::documentKind(*formats::formatNamed("csv")),
                          batch::documentKind(*formats::formatNamed("kaleidoscope"))};
        wanted.joined = {"csv", "raven"};
        if (!zone.empty()) wanted.starts.zone = TimeZone(zone);
        return wanted;
    }
    std::string result(const std::string& name) const { return contents("out").at(name); }
};

const std::string recording = "part0/20261025_023000.wav";

} // namespace

TEST_CASE("a batch's results have the time of day where a name holds it", "[unit]") {
    const NightArchive archive;
    test::runBatch(archive.night());
    CHECK_THAT(archive.result(recording + ".csv"), ContainsSubstring(",2026-10-25T02:30:0"));
    CHECK_THAT(archive.result("part1/1.wav.csv"), !ContainsSubstring("2026"));
    CHECK_THAT(archive.result("events.csv"), ContainsSubstring(",2026-10-25T02:30:0"));
    CHECK_THAT(archive.result("events.raven.txt"), ContainsSubstring("\t2026/10/25\t02:30:0"));
    CHECK_THAT(archive.result(recording + ".kaleidoscope.csv"), ContainsSubstring(",2026-10-25,02:30:0"));
}

TEST_CASE("another time zone makes the documents again, without the audio", "[unit]") {
    const NightArchive archive;
    test::runBatch(archive.night());
    const auto summary = test::runBatch(archive.night("-05:00"));
    CHECK(summary.tried == 0);
    CHECK_THAT(archive.result(recording + ".csv"), ContainsSubstring("-05:00\n"));
    CHECK_THAT(archive.result("events.csv"), ContainsSubstring("-05:00\n"));
    test::runBatch(archive.night());
    CHECK_THAT(archive.result(recording + ".csv"), !ContainsSubstring("-05:00\n"));
}

TEST_CASE("a start that is stated counts instead of the name's", "[unit]") {
    const NightArchive archive;
    test::runBatch(archive.night());
    auto stated = archive.night();
    std::erase_if(stated.inputs.recordings, [](const auto& input) { return input.name != recording; });
    stated.starts.stated = parseWallTime("2000-01-01T00:00:00Z");
    CHECK(test::runBatch(stated).tried == 0);
    CHECK_THAT(archive.result(recording + ".csv"), ContainsSubstring(",2000-01-01T00:00:0"));
    CHECK_THAT(archive.result("part1/1.wav.csv"), !ContainsSubstring("2000"));
}

TEST_CASE("results of an earlier version get their times without the audio", "[unit]") {
    const NightArchive archive;
    test::runBatch(archive.night());
    const auto before = archive.contents("out");
    archive.editJournal("out", "ALTER TABLE recordings DROP COLUMN start; "
                               "DELETE FROM lists WHERE name = 'documents'; "
                               "INSERT INTO lists VALUES ('documents', 0, '2'); PRAGMA user_version = 6");
    CHECK(test::runBatch(archive.night()).tried == 0);
    CHECK(test::changes(archive.contents("out"), before) == "");
}

TEST_CASE("Kaleidoscope's rows have one absolute base, and Raven's an absolute path", "[unit]") {
    const NightArchive archive;
    test::runBatch(archive.night());
    const std::string base = fs::weakly_canonical(archive.in()).string();
    CHECK_THAT(archive.result(recording + ".kaleidoscope.csv"),
               ContainsSubstring("\n" + base + ",part0,20261025_023000.wav,"));
    CHECK_THAT(archive.result("part1/1.wav.kaleidoscope.csv"),
               ContainsSubstring("\n" + base + ",part1,1.wav,"));
    CHECK_THAT(archive.result("events.raven.txt"), ContainsSubstring("\t" + base + "/part1/1.wav\t"));
}

TEST_CASE("a merge has the times of its shards", "[unit]") {
    const NightArchive archive;
    for (int index = 0; index < 2; ++index) {
        auto shard = archive.night("+01:00");
        shard.folder = archive.folder("shards");
        shard.shard = batch::Shard{index, 2};
        test::runBatch(shard);
    }
    archive.merge("shards", "out");
    CHECK_THAT(archive.result("events.csv"), ContainsSubstring("+01:00\n"));
    CHECK_THAT(archive.result(recording + ".csv"), ContainsSubstring("+01:00\n"));
}
