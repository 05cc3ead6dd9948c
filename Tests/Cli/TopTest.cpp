// What is in each recording: --top.
#include "Cli/Archive.h"
#include "Cli/Earshot.h"
#include "Core/Base/Database.h"
#include "Support/Catch.h"
#include "Support/Paths.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

using namespace earshot;
using nlohmann::json;
using test::runEarshot;

namespace {

// The demo, noise and a click, below "in".
class Clips {
  public:
    Clips() {
        std::filesystem::create_directories(in() / "below");
        std::filesystem::copy_file(test::demoFile(), in() / "demo.flac");
        test::makeNoise(in() / "below" / "noise.wav");
        auto click = std::vector<float>(6400, 0.0f);
        std::fill_n(click.begin(), 40, 0.9f);
        test::writeAudio(in() / "click.wav", test::AudioFormat::wavPcm16, 32000, 1, click);
    }

    std::filesystem::path in() const { return folder_ / "in"; }
    std::string folder(const std::string& name) const { return (folder_ / name).string(); }
    std::string run(std::vector<std::string> more) const {
        more.insert(more.begin(), {"analyze", in().string(), "--quiet"});
        const auto result = runEarshot(more);
        CAPTURE(result.errors);
        REQUIRE(result.exitCode == 0);
        return result.output;
    }

  private:
    test::TemporaryDirectory folder_;
};

} // namespace

TEST_CASE("analyze --top makes one row a recording, with names and falling scores, whatever the thresholds",
          "[unit]") {
    const Clips clips;
    const auto rows = test::parseCsv(clips.run({"--top", "3", "--format", "csv", "--threshold", "1"}));
    REQUIRE(rows.size() == 4);
    CHECK(rows[0] == test::CsvRow{"file", "label_1", "score_1", "label_2", "score_2", "label_3", "score_3"});
    for (std::size_t i = 1; i < rows.size(); ++i) {
        REQUIRE(rows[i].size() == 7);
        CHECK(std::set<std::string>{rows[i][1], rows[i][3], rows[i][5]}.size() == 3);
        for (std::size_t field = 1; field < 7; ++field) CHECK_FALSE(rows[i][field].empty());
        CHECK(std::stod(rows[i][2]) >= std::stod(rows[i][4]));
        CHECK(std::stod(rows[i][4]) >= std::stod(rows[i][6]));
        CHECK(std::stod(rows[i][2]) <= 1.0);
        CHECK(std::stod(rows[i][6]) >= 0.0);
    }
    // The scores are the largest probabilities, so that the first is that of the strongest event.
    const auto events =
        json::parse(runEarshot({"analyze", test::demoFile().string(), "--format", "json"}).output);
    const auto strongest =
        *std::ranges::max_element(events, {}, [](const json& event) { return event["peak"].get<double>(); });
    const auto demo =
        std::ranges::find_if(rows, [](const auto& row) { return row[0].ends_with("demo.flac"); });
    REQUIRE(demo != rows.end());
    CHECK((*demo)[1] == strongest["label"].get<std::string>());
    CHECK(std::stod((*demo)[2]) == Approx(strongest["peak"].get<double>()).margin(1e-6));

    const auto found = json::parse(clips.run({"--top", "2", "--format", "json"}));
    REQUIRE(found.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(found[i]["file"] == rows[i + 1][0]);
        REQUIRE(found[i]["top"].size() == 2);
        CHECK(found[i]["top"][0]["label"] == rows[i + 1][1]);
    }
    CHECK(test::lineCount(clips.run({"--top", "2", "--format", "jsonl"})) == 3);
    const auto table = clips.run({"--top", "1"});
    CHECK(test::lineCount(table) == 3);
    CHECK_THAT(table, ContainsSubstring("demo.flac  " + (*demo)[1] + " 0."));
}

TEST_CASE("analyze --top chooses among the sounds that are asked for", "[unit]") {
    const Clips clips;
    const auto rows = test::parseCsv(clips.run({"--top", "3", "--format", "csv", "--only", "Dog,Cat"}));
    REQUIRE(rows.size() == 4);
    for (std::size_t i = 1; i < 4; ++i) {
        CHECK(std::set<std::string>{rows[i][1], rows[i][3]} == std::set<std::string>{"Cat", "Dog"});
        CHECK(rows[i][5].empty());
        CHECK(rows[i][6].empty());
    }
}

TEST_CASE("analyze --top of a batch is that of analyze, and of earshot events, in one file of all recordings",
          "[unit]") {
    const Clips clips;
    const auto out = clips.folder("out");
    const std::vector<std::string> batch = {"--output-dir", out, "--joined", "json,sqlite"};
    clips.run(batch); // a run without --top knows what a later one asks for
    CHECK_FALSE(std::filesystem::exists(out + "/top.csv"));
    auto withTop = batch;
    withTop.insert(withTop.end(), {"--top", "3", "--keep-activations"});
    clips.run(withTop);
    auto expected = test::parseCsv(clips.run({"--top", "3", "--format", "csv"}));
    for (std::size_t i = 1; i < expected.size(); ++i) expected[i][0].erase(0, clips.in().string().size() + 1);
    std::ranges::sort(expected.begin() + 1, expected.end());
    CHECK(test::parseCsv(test::readBytes(out + "/top.csv")) == expected);
    CHECK(json::parse(test::readBytes(out + "/top.json")).size() == 3);
    CHECK(json::parse(test::readBytes(out + "/events.json")).is_array());
    Database results(out + "/events.sqlite", Database::Access::read, Database::Safety::scratch);
    auto top = results.prepare("SELECT path, label FROM top JOIN files ON files.id = file_id WHERE rank = 1 "
                               "ORDER BY path");
    for (std::size_t i = 1; i < expected.size(); ++i) {
        REQUIRE(top.step());
        CHECK(top.text(0) == expected[i][0]);
        CHECK(top.text(1) == expected[i][1]);
    }
    CHECK_FALSE(top.step());

    const auto events = runEarshot({"events", out, "--top", "3", "--format", "csv", "--quiet"});
    REQUIRE(events.exitCode == 0);
    auto kept = test::parseCsv(events.output);
    REQUIRE(kept.size() == 4);
    std::ranges::sort(kept.begin() + 1, kept.end());
    for (std::size_t i = 1; i < 4; ++i) CHECK(kept[i][1] == expected[i][1]);

    // Shards merged are the same.
    for (const std::string shard : {"0/2", "1/2"})
        clips.run({"--output-dir", clips.folder("shards"), "--top", "3", "--shard", shard});
    CHECK(runEarshot({"merge", clips.folder("shards"), "--quiet"}).exitCode == 0);
    CHECK(test::readBytes(clips.folder("shards") + "/top.csv") == test::readBytes(out + "/top.csv"));
}

TEST_CASE("analyze --top refuses what has no row a recording", "[unit]") {
    const Clips clips;
    const auto says = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"analyze", clips.in().string()});
        const auto result = runEarshot(more);
        CHECK(result.exitCode == 2);
        CHECK(test::lineCount(result.errors) == 1);
        return result.errors;
    };
    CHECK_THAT(says({"--top", "3", "--format", "raven"}), ContainsSubstring("use table, csv, json, jsonl"));
    CHECK_THAT(says({"--top", "3", "--explain"}), ContainsSubstring("leave --top out"));
    for (const std::string wrong : {"0", "11", "-1", "1.5", "many"})
        CHECK_THAT(says({"--top", wrong}), ContainsSubstring("--top"));
    CHECK_THAT(
        runEarshot({"events", clips.in().string(), "--top", "2", "--output-dir", clips.folder("x")}).errors,
        ContainsSubstring("earshot: "));
}
