#include "Core/Formats/SqliteDatabase.h"

#include "Core/Base/Error.h"
#include "Core/Formats/Samples.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/OtherReaders.h"
#include "Support/Paths.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <random>

using namespace earshot;
using namespace earshot::formats;
using nlohmann::json;

namespace {

std::string bytesOf(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    REQUIRE(stream);
    return {std::istreambuf_iterator<char>(stream), {}};
}

const DatabaseModel model = {.file = "Models/caf\xc3\xa9.safetensors",
                             .sha256 = std::string(64, 'a'),
                             .licence = "CC BY 4.0",
                             .labels = {"Dog", "Rock 'n' roll", std::string("nul\0l", 5)}};
const std::map<std::string, std::string> settings = {{"threshold", "0.5"}, {"only", "Dog;\nCat"}};

void writeSamples(const std::filesystem::path& file) {
    SqliteDatabase database(file, model, settings);
    const auto samples = test::sampleRecordings();
    database.add(samples[0]);
    database.add(samples[1], "the file ends early; copy it again");
    database.finish();
}

RecordingEvents manyEvents(std::mt19937& random, int recording) {
    RecordingEvents events{.file = "recording " + std::to_string(recording),
                           .seconds = 100.0,
                           .sampleRate = 32000,
                           .channels = 1,
                           .events = {}};
    for (unsigned i = 0; i < 200; ++i)
        events.events.push_back({0.32 * i, 0.32 * (i + 1), std::string(random() % 60, 'x'),
                                 static_cast<int>(random() % 527), 0.5f, 0.25f});
    return events;
}

} // namespace

TEST_CASE("a database is to the row what its golden file says", "[unit]") {
    const test::TemporaryDirectory folder;
    writeSamples(folder / "both.sqlite");
    const auto sql = test::readTextByPython("sql", folder / "both.sqlite");
    if (!sql) return;
    REQUIRE(*sql == bytesOf(test::goldenDirectory() / "Formats" / "both.sqlite.sql"));
}

TEST_CASE("another reader finds recordings, errors, settings and the model in a database", "[unit]") {
    const test::TemporaryDirectory folder;
    writeSamples(folder / "both.sqlite");
    const auto found = test::readByPython("tables", folder / "both.sqlite");
    if (!found) return;
    REQUIRE(found->at("integrity_check") == json::array({{"ok"}}));
    REQUIRE(found->at("foreign_key_check").empty());
    REQUIRE(found->at("application_id") == json::array({{0x45415253}}));
    REQUIRE(found->at("user_version") == json::array({{SqliteDatabase::version}}));
    REQUIRE(found->at("settings") == json::array({{"only", "Dog;\nCat"}, {"threshold", "0.5"}}));
    REQUIRE(found->at("model") == json::array({{model.file, model.sha256, model.licence, 3}}));
    REQUIRE(found->at("classes")[2] == json::array({2, "nul\xef\xbf\xbdl"}));
    REQUIRE(found->at("files") == json::array({{1, "archive/day 1/caf\xc3\xa9, \"loud\".wav", 3725.5, 44100,
                                                2, 1, nullptr, "2026-10-25T01:59:59.000-05:00"},
                                               {2, "#2\xef\xbf\xbd.flac", 2.0, 8000, 1, 0,
                                                "the file ends early; copy it again", nullptr}}));
    REQUIRE(found->at("events").size() == 6);
    REQUIRE(found->at("events")[2] ==
            json::array({3, 1, 61.44, 62.4, "tab\there\r\nand \"there\"", 526, 0.999774, 0.994558, nullptr,
                         nullptr, "2026-10-25T02:01:00.440-05:00"}));

    const auto rows = test::readByPython("sqlite", folder / "both.sqlite");
    REQUIRE(rows);
    REQUIRE(rows->at(0) == json::array({"archive/day 1/caf\xc3\xa9, \"loud\".wav", -0.5, 0.16,
                                        "Rock & <b>roll</b> --> end"}));
}

TEST_CASE("a database has as many of the likeliest sounds as are asked for", "[unit]") {
    const test::TemporaryDirectory folder;
    SqliteDatabase database(folder / "one.sqlite", model, settings);
    RecordingEvents recording;
    recording.file = "a.wav";
    recording.top = {{"Dog", 0, 0.75f}, {"Rock 'n' roll", 1, 0.5f}};
    database.add(recording);
    database.add(recording, {}, 1);
    database.add(recording, {}, 9);
    database.finish();
    Database written(folder / "one.sqlite", Database::Access::read, Database::Safety::scratch);
    auto rows =
        written.prepare("SELECT file_id, rank, label, class_index, score FROM top ORDER BY file_id, rank");
    for (const auto& [file, rank] : {std::pair(2, 1), std::pair(3, 1), std::pair(3, 2)}) {
        REQUIRE(rows.step());
        REQUIRE(rows.integer(0) == file);
        REQUIRE(rows.integer(1) == rank);
        REQUIRE(rows.text(2) == (rank == 1 ? "Dog" : "Rock 'n' roll"));
        REQUIRE(rows.real(4) == (rank == 1 ? 0.75 : 0.5));
    }
    REQUIRE_FALSE(rows.step());
}

TEST_CASE("confidence is NULL where thresholds decided", "[unit]") {
    const test::TemporaryDirectory folder;
    SqliteDatabase database(folder / "one.sqlite", model, settings);
    database.add({.file = "a.wav",
                  .events = {{0.0, 1.0, "Dog", 0, 0.75f, 0.5f, 0.625f}, {1.0, 2.0, "Dog", 0, 0.75f, 0.5f}}});
    database.finish();
    Database written(folder / "one.sqlite", Database::Access::read, Database::Safety::scratch);
    auto rows =
        written.prepare("SELECT class_index, peak, mean, confidence, typeof(confidence) FROM results");
    REQUIRE(rows.step());
    REQUIRE(rows.real(2) == 0.5);
    REQUIRE(rows.real(3) == 0.625);
    REQUIRE(rows.text(4) == "real");
    REQUIRE(rows.step());
    REQUIRE(rows.text(4) == "null");
}

TEST_CASE("the same recordings in the same order are the same bytes", "[unit]") {
    const test::TemporaryDirectory folder;
    for (const char* name : {"one.sqlite", "two.sqlite"}) {
        std::mt19937 random(6);
        SqliteDatabase database(folder / name, model, settings);
        for (int recording = 0; recording < 200; ++recording) database.add(manyEvents(random, recording));
        database.finish();
    }
    const std::string one = bytesOf(folder / "one.sqlite");
    REQUIRE(one.size() > 3'000'000); // more than SQLite keeps in memory
    REQUIRE((one == bytesOf(folder / "two.sqlite")));
}

TEST_CASE("random text survives in a database", "[unit]") {
    std::mt19937 random(9);
    RecordingEvents recording;
    for (int i = 0; i < 300; ++i) {
        std::string label;
        for (unsigned j = 0; j < random() % 12; ++j) label += static_cast<char>(1 + random() % 127);
        recording.events.push_back({0.32 * i, 0.32 * i + 0.32, label, i, 0.5f, 0.5f});
    }
    const test::TemporaryDirectory folder;
    SqliteDatabase database(folder / "random.sqlite", {}, {});
    database.add(recording);
    database.finish();
    const auto rows = test::readByPython("sqlite", folder / "random.sqlite");
    if (!rows) return;
    REQUIRE(rows->size() == recording.events.size());
    for (std::size_t i = 0; i < rows->size(); ++i) {
        REQUIRE(rows->at(i)[3] == recording.events[i].label);
        REQUIRE(rows->at(i)[1].get<double>() == Approx(recording.events[i].onset).margin(1e-9));
    }
}

TEST_CASE("a database that cannot be written says which", "[unit]") {
    const test::TemporaryDirectory folder;
    REQUIRE_THROWS_WITH(SqliteDatabase(folder / "no such folder" / "a.sqlite", model, settings),
                        ContainsSubstring("no such folder"));
    writeSamples(folder / "there.sqlite");
    REQUIRE_THROWS_AS(SqliteDatabase(folder / "there.sqlite", model, settings), Error);
}
